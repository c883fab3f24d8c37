package dev.windrow.examples.jakarta;

import dev.windrow.Windrow;
import dev.windrow.postgres.PostgresStore;
import jakarta.annotation.Resource;
import jakarta.annotation.sql.DataSourceDefinition;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import javax.sql.DataSource;

/** Opens the jobs. Their connections take no part in transactions of the shop. */
// region open
@ApplicationScoped
@DataSourceDefinition(
        name = "java:app/jdbc/shop",
        className = "org.postgresql.ds.PGSimpleDataSource",
        url = "${MPCONFIG=shop.db.url}",
        minPoolSize = 2,
        maxPoolSize = 10)
@DataSourceDefinition(
        name = "java:app/jdbc/jobs",
        className = "org.postgresql.ds.PGSimpleDataSource",
        url = "${MPCONFIG=shop.db.url}",
        minPoolSize = 2,
        maxPoolSize = 10,
        transactional = false)
public class JobQueue {
    @Resource(lookup = "java:app/jdbc/jobs")
    private DataSource source;

    @Produces
    @ApplicationScoped
    Windrow open() {
        return Windrow.open(PostgresStore.at(source));
    }

    void close(@Disposes Windrow windrow) {
        windrow.close();
    }
}
// endregion
