package dev.windrow.examples.quarkus;

import dev.windrow.Windrow;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.dashboard.Role;
import jakarta.inject.Inject;
import jakarta.servlet.ServletConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;

/** The dashboard. This shop has no login: each visitor sees the jobs, and none changes them. */
// region dashboard
@WebServlet("/jobs/*")
public class Dashboard extends HttpServlet {
    @Inject
    Windrow windrow;

    private DashboardServlet servlet;

    @Override
    public void init(ServletConfig config) throws ServletException {
        super.init(config);
        servlet = new DashboardServlet(windrow, request -> Access.of("visitor", Role.VIEWER));
        servlet.init(config);
    }

    @Override
    public void service(ServletRequest request, ServletResponse response) throws ServletException, IOException {
        servlet.service(request, response);
    }
}
// endregion
