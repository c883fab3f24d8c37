package dev.windrow.examples.micronaut;

import static java.time.Duration.ofSeconds;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.dashboard.Role;
import dev.windrow.sqlite.SqliteStore;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/** Opens the jobs and starts the worker, and ends both with the application. */
// region life
@Factory
class JobQueue {
    @Singleton
    @Bean(preDestroy = "close")
    Windrow windrow(@Value("${shop.file}") String file) {
        return Windrow.open(SqliteStore.at(Path.of(file)));
    }

    /** Starts the worker with the application. It drains before the beans that it uses are destroyed. */
    @Context
    @Bean(preDestroy = "close")
    Worker worker(Windrow windrow, Invoices invoices) {
        return windrow.worker()
                .handle(Orders.INVOICE, invoices::print)
                .drainTimeout(ofSeconds(20))
                .start();
    }

    /** Serves the dashboard on a port of its own. This shop has no login: each visitor sees the jobs, and none changes them. */
    @Context
    @Bean(preDestroy = "stop")
    Server dashboard(Windrow windrow, @Value("${shop.jobs-port}") int port) throws Exception {
        ServletContextHandler paths = new ServletContextHandler();
        paths.addServlet(
                new ServletHolder(new DashboardServlet(windrow, request -> Access.of("visitor", Role.VIEWER))),
                "/jobs/*");
        Server server = new Server(port);
        server.setHandler(paths);
        server.start();
        return server;
    }
}
// endregion
