package dev.windrow.spring.app;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** Orders by JDBC, in an application without JPA. */
@Component
@ConditionalOnMissingClass("org.hibernate.SessionFactory")
class JdbcOrders implements OrderRows {
    private final JdbcTemplate jdbc;

    JdbcOrders(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public void insert(Order order) {
        jdbc.update("INSERT INTO orders (id, cents) VALUES (?, ?)", order.id(), order.cents());
    }
}
