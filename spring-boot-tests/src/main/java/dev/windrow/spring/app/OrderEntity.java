package dev.windrow.spring.app;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An order as an entity. */
@Entity
@Table(name = "orders")
public class OrderEntity {
    @Id
    private long id;

    private long cents;

    /** For JPA. */
    protected OrderEntity() {}

    OrderEntity(long id, long cents) {
        this.id = id;
        this.cents = cents;
    }

    /** Returns the price. */
    public long cents() {
        return cents;
    }

    /** Returns the number. */
    public long id() {
        return id;
    }
}
