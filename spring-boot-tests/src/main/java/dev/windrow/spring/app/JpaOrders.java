package dev.windrow.spring.app;

import jakarta.persistence.EntityManager;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.stereotype.Component;

/** Orders by JPA. */
@Component
@ConditionalOnClass(name = "org.hibernate.SessionFactory")
class JpaOrders implements OrderRows {
    private final EntityManager entities;

    JpaOrders(EntityManager entities) {
        this.entities = entities;
    }

    @Override
    public void insert(Order order) {
        entities.persist(new OrderEntity(order.id(), order.cents()));
    }
}
