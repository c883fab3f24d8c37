package dev.windrow.examples.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/** A purchase of a customer. */
@Entity
public class Purchase {
    @Id
    @GeneratedValue(
            strategy =
                    GenerationType.IDENTITY) // a table of numbers would wait for the write lock of its own transaction
    private @Nullable Long id;

    private String customer = "";
    private long cents;
    private @Nullable String invoice;

    /** For JPA. */
    protected Purchase() {}

    Purchase(String customer, long cents) {
        this.customer = customer;
        this.cents = cents;
    }

    long id() {
        return id == null ? 0 : id;
    }

    String customer() {
        return customer;
    }

    long cents() {
        return cents;
    }

    @Nullable String invoice() {
        return invoice;
    }

    void invoiced(String number) {
        invoice = number;
    }
}
