package dev.windrow.tests.http;

import jakarta.servlet.Servlet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** A servlet container that runs the servlet of the HTTP API. Both let encoded slashes in paths pass, as the guide says. */
enum Container {
    JETTY {
        @Override
        Running start(Servlet servlet, String context, String mapping, Path folder, Duration idle) throws Exception {
            Server server = new Server();
            HttpConfiguration http = new HttpConfiguration();
            http.setUriCompliance(UriCompliance.DEFAULT.with("jobs", UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR));
            ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
            connector.setHost("127.0.0.1");
            connector.setIdleTimeout(idle.toMillis());
            connector.setAcceptedSendBufferSize(64 << 10); // so that the server feels a client that does not read
            server.addConnector(connector);
            ServletContextHandler handler = new ServletContextHandler(context.isEmpty() ? "/" : context);
            handler.addServlet(new ServletHolder(servlet), mapping);
            server.setHandler(handler);
            server.start();
            return new Running(connector.getLocalPort(), server::stop);
        }
    },

    /** The version on the class path: 10.1, or 11 in the second run of the profile "containers". */
    TOMCAT {
        @Override
        Running start(Servlet servlet, String context, String mapping, Path folder, Duration idle) throws Exception {
            // It warns of the threads of the store, which outlive the servlet.
            LOG.setLevel(Level.SEVERE);
            Tomcat tomcat = new Tomcat();
            tomcat.setBaseDir(folder.resolve("tomcat").toString());
            Connector connector = new Connector();
            connector.setPort(0);
            connector.setProperty("address", "127.0.0.1");
            connector.setProperty("connectionTimeout", String.valueOf(idle.toMillis()));
            connector.setEncodedSolidusHandling("passthrough");
            tomcat.setConnector(connector);
            Context application = tomcat.addContext(context, null);
            application.addServletContainerInitializer(
                    (classes, started) -> started.addServlet("jobs", servlet).addMapping(mapping), null);
            tomcat.start();
            return new Running(connector.getLocalPort(), () -> {
                tomcat.stop();
                tomcat.destroy();
            });
        }
    };

    /** The container of all tests that do not choose one. */
    static final Container OF_BUILD = valueOf(System.getProperty("windrow.container", "JETTY"));

    // A logger that is not referenced loses its level.
    private static final Logger LOG = Logger.getLogger("org.apache");

    /**
     * Starts a server on a free port of the loopback address.
     *
     * @param idle how long a connection may be silent
     */
    abstract Running start(Servlet servlet, String context, String mapping, Path folder, Duration idle)
            throws Exception;

    /** A server at work. */
    record Running(int port, AutoCloseable stop) implements AutoCloseable {
        @Override
        public void close() throws Exception {
            stop.close();
        }
    }
}
