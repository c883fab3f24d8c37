package dev.windrow.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Windrow;
import dev.windrow.query.JobFilter;
import dev.windrow.testserver.PostgresServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The shop as a whole, on PostgreSQL. */
@Tag("once")
class ShopTest {
    @Test
    void aPurchaseOverHttpGetsAnInvoice() throws Exception {
        String schema = PostgresServer.shared().newSchema();
        try (ConfigurableApplicationContext shop = SpringApplication.run(
                Shop.class,
                "--server.port=0",
                "--spring.profiles.active=postgresql",
                "--spring.datasource.url=" + PostgresServer.shared().url() + "&currentSchema=" + schema,
                "--spring.datasource.hikari.connection-init-sql=CREATE SCHEMA IF NOT EXISTS " + schema,
                "--windrow.postgresql.schema=" + schema)) {
            String base = "http://localhost:" + shop.getEnvironment().getProperty("local.server.port");
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest buy = HttpRequest.newBuilder(URI.create(base + "/purchases?customer=Ada&cents=4200"))
                    .POST(BodyPublishers.noBody())
                    .build();
            String id = client.send(buy, BodyHandlers.ofString()).body();
            Windrow windrow = shop.getBean(Windrow.class);
            windrow.await(
                    Checkout.INVOICE.ref(windrow.jobs(JobFilter.ALL)
                            .newestFirst()
                            .page()
                            .jobs()
                            .get(0)
                            .id()),
                    Duration.ofSeconds(60));
            for (String path : new String[] {"/purchases/" + id, "/actuator/windrow", "/windrow/"}) {
                var answer = client.send(
                        HttpRequest.newBuilder(URI.create(base + path)).build(), BodyHandlers.ofString());
                assertThat(answer.statusCode()).as(path).isEqualTo(200);
                if (path.startsWith("/purchases")) {
                    assertThat(answer.body()).contains("\"invoice\":\"R-");
                }
            }
        }
    }
}
