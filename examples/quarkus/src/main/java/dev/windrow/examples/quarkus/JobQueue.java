package dev.windrow.examples.quarkus;

import static java.time.Duration.ofSeconds;

import dev.windrow.Windrow;
import dev.windrow.postgres.PostgresStore;
import io.agroal.api.AgroalDataSource;
import io.quarkus.agroal.DataSource;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;

/** Opens the jobs and starts the worker, and ends both with the application. */
// region life
@ApplicationScoped
public class JobQueue {
    @Produces
    @ApplicationScoped
    Windrow windrow(@DataSource("jobs") AgroalDataSource source) {
        return Windrow.open(PostgresStore.at(source));
    }

    void start(@Observes StartupEvent event, Windrow windrow, Invoices invoices) {
        windrow.worker()
                .handle(Orders.INVOICE, invoices::print)
                .drainTimeout(ofSeconds(20))
                .start();
    }

    /** Drains the worker, and closes the jobs while their data source is still open. */
    void stop(@Observes ShutdownEvent event, Windrow windrow) {
        windrow.close();
    }
}
// endregion
