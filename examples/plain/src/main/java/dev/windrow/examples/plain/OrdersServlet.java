package dev.windrow.examples.plain;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;

/** Orders over HTTP: {@code POST /orders?customer=Ada&cents=4200} returns the id of the job. */
final class OrdersServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Orders orders;

    OrdersServlet(Orders orders) {
        this.orders = orders;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            long job = orders.buy(request.getParameter("customer"), Long.parseLong(request.getParameter("cents")));
            response.getWriter().print(job);
        } catch (IllegalArgumentException e) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, e.getMessage());
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
