package dev.windrow.spring.app;

import dev.windrow.Windrow;
import dev.windrow.query.JobFilter;
import java.time.Duration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The shop over HTTP. */
@RestController
public class ShopController {
    private final OrderService orders;
    private final Windrow windrow;
    private final JdbcTemplate jdbc;

    ShopController(OrderService orders, Windrow windrow, JdbcTemplate jdbc) {
        this.orders = orders;
        this.windrow = windrow;
        this.jdbc = jdbc;
    }

    /** Takes an order, and returns the result of its job. */
    @PostMapping("/orders/{id}")
    public String take(
            @PathVariable("id") long id, @RequestParam(name = "refused", defaultValue = "false") boolean refused) {
        var job = orders.take(new Order(id, id * 100, 0), refused);
        String result = windrow.await(job, Duration.ofSeconds(60));
        return job.id() + " " + result + " " + windrow.job(job).info().traceparent();
    }

    /** Takes many orders, and returns at once. */
    @PostMapping("/many/{first}")
    public void takeMany(
            @PathVariable("first") long first, @RequestParam("count") int count, @RequestParam("millis") int millis) {
        orders.takeMany(first, count, millis);
    }

    /** Enqueues a job in a queue without a worker. */
    @PostMapping("/unserved")
    public void unserved() {
        windrow.enqueue(Order.CHARGE.job(new Order(0, 0, 0)).withQueue("unserved"));
    }

    /** Returns the number of charges. */
    @GetMapping("/charges")
    public String charges() {
        return String.valueOf(jdbc.queryForObject("SELECT count(*) FROM charges", Long.class));
    }

    /** Returns the number of orders, and that of jobs. */
    @GetMapping("/counts")
    public String counts() {
        return jdbc.queryForObject("SELECT count(*) FROM orders", Long.class) + " "
                + windrow.jobs(JobFilter.ALL).count();
    }
}
