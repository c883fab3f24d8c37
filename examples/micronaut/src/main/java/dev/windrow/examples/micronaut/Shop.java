package dev.windrow.examples.micronaut;

import io.micronaut.runtime.Micronaut;

/** The application. */
public class Shop {
    /** Starts the application. */
    public static void main(String[] args) {
        Micronaut.run(Shop.class, args);
    }
}
