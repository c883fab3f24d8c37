package dev.windrow.tests.docs.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Windrow;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.docs.Docs;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.Principal;
import java.util.EnumSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.web.servlet.ServletRegistrationBean;

/** Compiles and runs the code of docs/how-to/mount-the-api.md. */
class MountDocTest {
    // A logger that is not referenced loses its level.
    private static final Logger TOMCAT = Logger.getLogger("org.apache");

    @TempDir
    Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    /** The login of an application: the user is in a header. */
    private static final Filter LOGIN = (request, response, chain) -> {
        String name = ((HttpServletRequest) request).getHeader("User");
        Principal user = name == null ? null : () -> name;
        chain.doFilter(
                new HttpServletRequestWrapper((HttpServletRequest) request) {
                    @Override
                    public Principal getUserPrincipal() {
                        return user;
                    }

                    @Override
                    public boolean isUserInRole(String role) {
                        return role.equals("ops") && "olga".equals(name);
                    }
                },
                response);
    };

    @Test
    void guideShowsCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/mount-the-api.md"))
                .isEqualTo(Docs.regions("tests/src/test/java/dev/windrow/tests/docs/http/MountSnippet.java"))
                .hasSize(6);
    }

    @Test
    void aListenerOfAnApplicationMountsTheApiBehindItsLogin() throws Exception {
        Server server = new Server(0);
        ServletContextHandler shop = new ServletContextHandler("/shop");
        shop.setInitParameter("jobs.file", folder.resolve("jobs.db").toString());
        shop.addEventListener(new MountSnippet.Jobs());
        shop.addFilter(new FilterHolder(LOGIN), "/*", EnumSet.of(DispatcherType.REQUEST));
        server.setHandler(shop);
        server.start();
        try {
            int port = port(server);
            asksForALogin(port);
            assertThat(get(port, "api/v1/", "olga").body()).contains("\"actor\":\"olga\"", "operate");
            assertThat(get(port, "api/v1/", "victor").body())
                    .contains("\"permissions\":[\"view\"]", "\"queues\":[\"mail\"]");
        } finally {
            server.stop();
        }
    }

    @Test
    void jettyMountsTheApi() throws Exception {
        try (Windrow windrow = open()) {
            Server server = MountSnippet.jetty(windrow, 0);
            asksForALogin(port(server));
            server.stop();
        }
    }

    @Test
    void tomcatMountsTheApi() throws Exception {
        TOMCAT.setLevel(Level.SEVERE);
        try (Windrow windrow = open()) {
            Tomcat tomcat = MountSnippet.tomcat(windrow, 0);
            asksForALogin(tomcat.getConnector().getLocalPort());
            tomcat.stop();
            tomcat.destroy();
        }
    }

    @Test
    void springMountsTheApi() throws Exception {
        try (Windrow windrow = open()) {
            ServletRegistrationBean<?> bean = new MountSnippet.JobsConfiguration().jobs(windrow);
            Server server = new Server(0);
            ServletContextHandler shop = new ServletContextHandler("/shop");
            shop.addServletContainerInitializer((classes, context) -> bean.onStartup(context));
            server.setHandler(shop);
            server.start();
            asksForALogin(port(server));
            server.stop();
        }
    }

    @Test
    void theOptionsAreAllowed() {
        try (Windrow windrow = open()) {
            assertThat(MountSnippet.withOptions(windrow)).isNotNull();
        }
    }

    private Windrow open() {
        return Windrow.open(SqliteStore.at(folder.resolve("jobs.db")));
    }

    private static int port(Server server) {
        return ((ServerConnector) server.getConnectors()[0]).getLocalPort();
    }

    private void asksForALogin(int port) throws Exception {
        assertThat(get(port, "health/ready", null).body()).isEqualTo("ready\n");
        HttpResponse<String> refused = get(port, "api/v1/jobs", null);
        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(refused.headers().firstValue("WWW-Authenticate")).hasValue("Basic realm=\"shop\"");
    }

    private HttpResponse<String> get(int port, String path, String user) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/shop/jobs/%s".formatted(port, path)));
        if (user != null) {
            request.header("User", user);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
