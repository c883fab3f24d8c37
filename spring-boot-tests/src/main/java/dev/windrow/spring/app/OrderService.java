package dev.windrow.spring.app;

import dev.windrow.Enqueued;
import dev.windrow.Jobs;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** Takes orders: each with its job, or neither. */
@Service
public class OrderService {
    private final OrderRows rows;
    private final Jobs jobs;

    OrderService(OrderRows rows, Jobs jobs) {
        this.rows = rows;
        this.jobs = jobs;
    }

    /** Takes an order. */
    @Transactional
    public Enqueued<String> take(Order order, boolean refused) {
        rows.insert(order);
        Enqueued<String> job = jobs.enqueue(Order.CHARGE, order);
        if (refused) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "refused");
        }
        return job;
    }

    /** Takes many. */
    @Transactional
    public void takeMany(long first, int count, int millis) {
        List<Order> orders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            orders.add(new Order(first + i, 1, millis));
        }
        orders.forEach(rows::insert);
        jobs.enqueueAll(Order.CHARGE.jobs(orders));
    }
}
