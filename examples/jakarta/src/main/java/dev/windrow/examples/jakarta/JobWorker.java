package dev.windrow.examples.jakarta;

import static java.time.Duration.ofSeconds;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.dashboard.Role;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;

/** Starts the worker and the dashboard, and drains the worker when the application is stopped or undeployed. */
// region life
@WebListener
public class JobWorker implements ServletContextListener {
    @Inject
    private Windrow windrow;

    @Inject
    private Orders orders;

    private Worker worker;

    @Override
    public void contextInitialized(ServletContextEvent event) {
        worker = windrow.worker()
                .handle(Orders.INVOICE, orders::print)
                .drainTimeout(ofSeconds(20))
                .start();
        // This shop has no login: each visitor sees the jobs, and none changes them.
        event.getServletContext()
                .addServlet("jobs", new DashboardServlet(windrow, request -> Access.of("visitor", Role.VIEWER)))
                .addMapping("/jobs/*");
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        worker.close();
    }
}
// endregion
