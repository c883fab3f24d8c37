package dev.windrow.examples.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application. */
@SpringBootApplication
public class Shop {
    /** Starts the application. */
    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }
}
