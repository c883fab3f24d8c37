package dev.windrow.examples.plain;

import static java.time.Duration.ofSeconds;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.dashboard.Role;
import dev.windrow.sqlite.SqliteStore;
import java.net.URI;
import java.nio.file.Path;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/** The shop: a web server, a worker, and one file for orders and jobs. */
public final class Shop {
    private Shop() {}

    /**
     * Runs the shop until the process is stopped.
     *
     * @param args the file and the port, default {@code shop.db} and 8080
     */
    // region main
    public static void main(String[] args) throws Exception {
        Path file = Path.of(args.length > 0 ? args[0] : "shop.db");
        int port = args.length > 1 ? Integer.parseInt(args[1]) : 8080;

        Windrow windrow = Windrow.open(SqliteStore.at(file)).closeOnShutdown(ofSeconds(20));
        Orders orders = new Orders(windrow);
        Worker worker = windrow.worker().handle(Orders.INVOICE, orders::invoice).start();

        ServletContextHandler paths = new ServletContextHandler();
        paths.addServlet(new ServletHolder(new OrdersServlet(orders)), "/orders");
        // This shop has no login: each visitor sees the jobs, and none changes them.
        paths.addServlet(
                new ServletHolder(new DashboardServlet(windrow, request -> Access.of("visitor", Role.VIEWER))),
                "/jobs/*");
        Server server = new Server(port);
        server.setHandler(paths);
        server.setStopAtShutdown(true);
        server.start();

        URI uri = server.getURI();
        System.out.println("Listening on port " + uri.getPort());
        worker.join(); // until SIGTERM has drained the worker
    }
    // endregion
}
