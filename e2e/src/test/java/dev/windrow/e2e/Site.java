package dev.windrow.e2e;

import dev.windrow.Windrow;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.DashboardOptions;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.dashboard.Role;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** The servlet in Jetty, on one port of the loopback address. The token is the name of a role, and a number after it: {@code operator1}. */
final class Site implements AutoCloseable {
    private final Windrow windrow;
    private final Set<String> revoked = ConcurrentHashMap.newKeySet();
    private int port;
    private Server server;

    Site(Windrow windrow) throws Exception {
        this.windrow = windrow;
        start();
    }

    /** Starts the server, on the port that it had before. */
    void start() throws Exception {
        server = new Server();
        HttpConfiguration http = new HttpConfiguration();
        // As windrow serve: names of queues may have slashes in them.
        http.setUriCompliance(UriCompliance.DEFAULT.with(
                "jobs",
                UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
                UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        server.addConnector(connector);
        ServletContextHandler handler = new ServletContextHandler("/");
        DashboardOptions options = DashboardOptions.DEFAULTS.withLabel("production");
        handler.addServlet(new ServletHolder(new DashboardServlet(windrow, this::access, options)), "/*");
        server.setHandler(handler);
        server.start();
        port = connector.getLocalPort();
    }

    /** Ends the server with its connections. */
    void stop() throws Exception {
        server.stop();
    }

    /** Refuses this token from now on. */
    void revoke(String token) {
        revoked.add(token);
    }

    private Access access(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        if (header == null || !header.startsWith("Bearer ")) {
            return Access.anonymous();
        }
        String token = header.substring("Bearer ".length());
        if (revoked.contains(token)) {
            return Access.anonymous();
        }
        String role = token.substring(0, token.length() - 1);
        return Access.of(role, Role.valueOf(role.toUpperCase(Locale.ROOT)));
    }

    String address() {
        return "http://127.0.0.1:%d/".formatted(port);
    }

    @Override
    public void close() throws Exception {
        stop();
    }
}
