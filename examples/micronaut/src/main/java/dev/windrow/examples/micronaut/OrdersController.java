package dev.windrow.examples.micronaut;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.sql.SQLException;

/** Orders over HTTP: {@code POST /orders?customer=Ada&cents=4200} returns the id of the job. */
@Controller("/orders")
@ExecuteOn(TaskExecutors.BLOCKING)
class OrdersController {
    private final Orders orders;

    OrdersController(Orders orders) {
        this.orders = orders;
    }

    @Post
    @Produces(MediaType.TEXT_PLAIN)
    HttpResponse<String> buy(@QueryValue String customer, @QueryValue long cents) throws SQLException {
        try {
            return HttpResponse.ok(String.valueOf(orders.buy(customer, cents)));
        } catch (IllegalArgumentException e) {
            return HttpResponse.<String>badRequest().body(e.getMessage());
        }
    }
}
