package dev.windrow.tests.docs.http;

import dev.windrow.Windrow;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.AccessPolicy;
import dev.windrow.dashboard.DashboardOptions;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.dashboard.Role;
import dev.windrow.sqlite.SqliteStore;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.nio.file.Path;
import java.security.Principal;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The code of docs/how-to/mount-the-api.md. */
final class MountSnippet {
    private MountSnippet() {}

    // region policy
    static Access access(Principal user, boolean isOperator) {
        if (user == null) {
            return Access.anonymous("Basic realm=\"shop\"");
        }
        return isOperator
                ? Access.of(user.getName(), Role.OPERATOR)
                : Access.of(user.getName(), Role.VIEWER).withQueues(List.of("mail"));
    }

    static final AccessPolicy POLICY = request -> access(request.getUserPrincipal(), request.isUserInRole("ops"));
    // endregion

    // region servlet
    @WebListener
    public static class Jobs implements ServletContextListener {
        private Windrow windrow;

        @Override
        public void contextInitialized(ServletContextEvent event) {
            String file = event.getServletContext().getInitParameter("jobs.file");
            windrow = Windrow.open(SqliteStore.at(Path.of(file)));
            event.getServletContext()
                    .addServlet("jobs", new DashboardServlet(windrow, POLICY))
                    .addMapping("/jobs/*");
        }

        @Override
        public void contextDestroyed(ServletContextEvent event) {
            windrow.close();
        }
    }
    // endregion

    static Server jetty(Windrow windrow, int port) throws Exception {
        // region jetty
        HttpConfiguration http = new HttpConfiguration();
        http.setUriCompliance(UriCompliance.DEFAULT.with("jobs", UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR));
        http.setHeaderCacheSize(0);
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        server.addConnector(connector);
        ServletContextHandler shop = new ServletContextHandler("/shop");
        shop.addServlet(new ServletHolder(new DashboardServlet(windrow, POLICY)), "/jobs/*");
        server.setHandler(shop);
        server.start();
        // endregion
        return server;
    }

    static Tomcat tomcat(Windrow windrow, int port) throws LifecycleException {
        // region tomcat
        Tomcat tomcat = new Tomcat();
        tomcat.setPort(port);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setEncodedSolidusHandling("passthrough");
        Context shop = tomcat.addContext("/shop", null);
        shop.addServletContainerInitializer(
                (classes, context) -> context.addServlet("jobs", new DashboardServlet(windrow, POLICY))
                        .addMapping("/jobs/*"),
                null);
        tomcat.start();
        // endregion
        return tomcat;
    }

    // region spring
    @Configuration
    static class JobsConfiguration {
        @Bean
        Windrow windrow() {
            return Windrow.open(SqliteStore.at(Path.of("jobs.db")));
        }

        @Bean
        ServletRegistrationBean<DashboardServlet> jobs(Windrow windrow) {
            return new ServletRegistrationBean<>(new DashboardServlet(windrow, POLICY), "/jobs/*");
        }
    }
    // endregion

    static DashboardServlet withOptions(Windrow windrow) {
        // region options
        DashboardOptions options = DashboardOptions.DEFAULTS
                .withLabel("staging")
                .withHosts(List.of("shop.example.org"))
                .withTrustedOrigins(List.of("https://ops.example.org"));
        DashboardServlet servlet = new DashboardServlet(windrow, POLICY, options);
        // endregion
        return servlet;
    }
}
