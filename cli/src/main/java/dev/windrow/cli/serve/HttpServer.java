package dev.windrow.cli.serve;

import dev.windrow.cli.FailedException;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.wire.JsonObject;
import java.io.IOException;
import java.time.Duration;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A Jetty server with the servlet of the HTTP API. */
final class HttpServer {
    /** The time that running requests have after a signal. */
    private static final Duration DRAIN = Duration.ofSeconds(25);

    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final int THREADS = 200;

    private final Server server;
    private final ServerConnector connector;
    private final Address address;
    private final String prefix;

    private HttpServer(Server server, ServerConnector connector, Address address, String prefix) {
        this.server = server;
        this.connector = connector;
        this.address = address;
        this.prefix = prefix;
    }

    static HttpServer start(Address address, String prefix, DashboardServlet servlet) throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS);
        threads.setName("windrow-http");
        Server server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        // Names of keys in paths may contain encoded slashes. The servlet decodes paths by itself.
        http.setUriCompliance(UriCompliance.DEFAULT.with(
                "windrow",
                UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
                UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
        // Jetty takes a header from the cache of its connection if they differ in case only: another token would pass.
        http.setHeaderCacheSize(0);
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
        connector.setHost(address.host());
        connector.setPort(address.port());
        connector.setIdleTimeout(IDLE.toMillis());
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler(prefix.isEmpty() ? "/" : prefix);
        context.addServlet(new ServletHolder("windrow", servlet), "/*");
        server.setHandler(new GracefulHandler(context));
        server.setErrorHandler(new PlainErrors());
        server.setStopTimeout(DRAIN.toMillis());
        try {
            server.start();
        } catch (IOException e) {
            server.stop();
            throw new FailedException(
                    "cannot listen on %s:%d: %s; choose another address with --listen"
                            .formatted(address.host(), address.port(), e.getMessage()),
                    e);
        }
        return new HttpServer(server, connector, address, prefix);
    }

    /** Returns the URL of the server, with a slash at its end. */
    String url() {
        return "http://%s:%d%s/".formatted(address.host(), connector.getLocalPort(), prefix);
    }

    /** Accepts no more requests, lets running ones end, and stops the server. */
    void stop() throws Exception {
        server.stop();
    }

    /** Answers requests that are refused before they reach the servlet, such as a malformed one, without the details of the server. */
    private static final class PlainErrors implements Request.Handler {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/problem+json");
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
            response.getHeaders().put("X-Content-Type-Options", "nosniff");
            int status = response.getStatus();
            boolean own = status == 500 || status == 503;
            String kind = own ? "internal" : status == 404 ? "not-found" : "invalid-request";
            JsonObject problem = new JsonObject()
                    .put("type", "urn:windrow:problem:" + kind)
                    .put("status", status)
                    .put("kind", kind)
                    .put("detail", own ? "the server cannot answer now" : "the request is not valid HTTP, or too long");
            Content.Sink.write(response, true, problem + "\n", callback);
            return true;
        }
    }
}
