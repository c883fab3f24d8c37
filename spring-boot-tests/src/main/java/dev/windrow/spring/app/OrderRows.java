package dev.windrow.spring.app;

/** Writes orders in the current transaction. */
public interface OrderRows {
    /** Writes one. */
    void insert(Order order);
}
