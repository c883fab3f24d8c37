package dev.windrow.examples.quarkus;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.sql.SQLException;

/** Orders over HTTP: {@code POST /orders?customer=Ada&cents=4200} returns the id of the job. */
@Path("/orders")
public class OrdersResource {
    private final Orders orders;

    OrdersResource(Orders orders) {
        this.orders = orders;
    }

    @POST
    public String buy(@QueryParam("customer") String customer, @QueryParam("cents") long cents) throws SQLException {
        try {
            return String.valueOf(orders.buy(customer, cents));
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(e.getMessage(), e);
        }
    }
}
