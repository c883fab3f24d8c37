package dev.windrow.spring.app;

import dev.windrow.Windrow;
import dev.windrow.spring.WindrowBuilderCustomizer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;

/** The application. */
@SpringBootApplication
public class Shop {
    private final Environment environment;

    Shop(Environment environment) {
        this.environment = environment;
    }

    /** Starts the application. */
    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }

    /** Fails if the tables of the shop are not there before Windrow is opened: Flyway has made them, or the script. */
    @Bean
    WindrowBuilderCustomizer tablesExist(JdbcTemplate jdbc) {
        return (Windrow.Builder builder) -> jdbc.queryForObject("SELECT count(*) FROM orders", Integer.class);
    }

    /** Tells the test the port. */
    @EventListener
    void ready(ApplicationReadyEvent event) {
        System.out.println("READY " + environment.getProperty("local.server.port"));
    }
}
