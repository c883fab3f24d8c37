package dev.windrow.examples.shop;

import dev.windrow.testserver.PostgresServer;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;

/** The shop on the PostgreSQL server of the tests, which ends with it. */
public class PostgresShop {
    /** Starts the server, and then the shop. */
    public static void main(String[] args) {
        SpringApplication.run(
                Shop.class,
                Stream.concat(
                                Stream.of(
                                        "--spring.profiles.active=postgresql",
                                        "--spring.datasource.url="
                                                + PostgresServer.shared().url()),
                                Stream.of(args))
                        .toArray(String[]::new));
    }
}
