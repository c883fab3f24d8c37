package dev.windrow.spring.autoconfigure;

import dev.windrow.sqlite.Durability;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of Windrow. {@code windrow.enabled}, {@code windrow.dashboard.enabled}, {@code windrow.metrics.enabled} and {@code
 * windrow.tracing.enabled} are conditions only; they are here for the metadata.
 *
 * @param enabled Whether to open a Windrow.
 * @param store The place of the jobs: the database of the application (auto), a SQLite file, or PostgreSQL.
 * @param transactions The rule for an enqueue by the bean Jobs inside a transaction of Spring.
 */
@ConfigurationProperties("windrow")
record WindrowProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("auto") StoreKind store,
        @DefaultValue Sqlite sqlite,
        @DefaultValue Postgresql postgresql,
        @DefaultValue("join") TransactionMode transactions,
        @DefaultValue Worker worker,
        @DefaultValue Schedules schedules,
        @DefaultValue Retention retention,
        @DefaultValue Dashboard dashboard,
        @DefaultValue Metrics metrics,
        @DefaultValue Tracing tracing,
        @DefaultValue Health health) {

    /** The place of the jobs. */
    enum StoreKind {
        AUTO,
        SQLITE,
        POSTGRESQL
    }

    /** The rule for an enqueue by the bean of the type Jobs inside a transaction of Spring. */
    enum TransactionMode {
        /** Enqueues in the transaction: the job commits and rolls back with it. */
        JOIN,
        /** Enqueues after the commit. If the process dies in between, the job is lost. */
        AFTER_COMMIT,
        /** Enqueues at once, and durably, whether the transaction commits or not. */
        IMMEDIATELY,
        /** Refuses to enqueue. */
        REFUSE
    }

    /**
     * SQLite.
     *
     * @param file The file of the jobs. Default the file of the application's SQLite data source; jobs.db without a data source.
     * @param durability The failures that a commit survives: power loss (full), or the end of the process (normal).
     */
    record Sqlite(
            @Nullable String file, @DefaultValue("full") Durability durability) {}

    /**
     * PostgreSQL.
     *
     * @param dataSource The name of the bean that connects to the database of the jobs. Default the only or primary data source.
     * @param schema The schema of the tables. It is created if it does not exist.
     * @param tablePrefix The beginning of the names of all tables.
     */
    record Postgresql(
            @Nullable String dataSource,
            @DefaultValue("public") String schema,
            @DefaultValue("windrow_") String tablePrefix) {}

    /**
     * The worker.
     *
     * @param enabled Whether this process runs jobs.
     * @param name The name of the worker, a label. Default HOST-PID-N.
     * @param concurrency The number of jobs that run at once: 1 to 1000.
     * @param queues The queues to serve, each as NAME or as NAME:LIMIT, where LIMIT is the most jobs of the queue at once. Default the queue default.
     * @param lease The time for which a claim is valid without a renewal: 1s to 1h.
     * @param poll The interval of polls without a notification: 10ms to 1m.
     * @param drainTimeout The time for which running handlers may continue at shutdown: 0s to 1d. Keep it shorter than spring.lifecycle.timeout-per-shutdown-phase.
     * @param defaultTimeout The time limit of attempts whose job and type have none: 1ms to 3650d.
     */
    record Worker(
            @DefaultValue("true") boolean enabled,
            @Nullable String name,
            @DefaultValue("10") int concurrency,
            @DefaultValue List<String> queues,
            @DefaultValue("30s") Duration lease,
            @DefaultValue("30s") Duration poll,
            @DefaultValue("25s") Duration drainTimeout,
            @DefaultValue("1h") Duration defaultTimeout) {}

    /**
     * Schedules.
     *
     * @param orphans The treatment of stored schedules that an earlier version of this application declared, and this one does not.
     */
    record Schedules(@DefaultValue("warn") Orphans orphans) {
        /** The treatment of schedules that the application no longer declares. */
        enum Orphans {
            /** Logs their names. They continue. */
            WARN,
            /** Pauses them. */
            PAUSE,
            /** Removes them. */
            REMOVE,
            /** Leaves them alone. */
            KEEP
        }
    }

    /**
     * Retention.
     *
     * @param enabled Whether this process deletes old jobs.
     * @param every The interval between passes: 1s to 7d.
     */
    record Retention(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("1h") Duration every) {}

    /**
     * The dashboard.
     *
     * @param enabled Whether to serve the dashboard and the HTTP API.
     * @param path The path of the dashboard, below the context path.
     * @param access The source of permissions: the authorities of Spring Security, or none, so that all visitors may only look.
     * @param viewer Authorities that may look, with redacted payloads.
     * @param operator Authorities that may do all but delete.
     * @param admin Authorities that may do everything.
     * @param label A label of this installation on the page, such as staging.
     */
    record Dashboard(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("/windrow") String path,
            @DefaultValue("authorities") DashboardAccess access,
            @DefaultValue("ROLE_WINDROW_VIEWER") List<String> viewer,
            @DefaultValue("ROLE_WINDROW_OPERATOR") List<String> operator,
            @DefaultValue("ROLE_WINDROW_ADMIN") List<String> admin,
            @Nullable String label) {
        /** The source of the permissions of users. */
        enum DashboardAccess {
            /** By the authorities of Spring Security. */
            AUTHORITIES,
            /** Every visitor of the path sees all but confidential values, and changes nothing. */
            READ_ONLY
        }
    }

    /**
     * Metrics.
     *
     * @param enabled Whether to register the metrics with Micrometer.
     */
    record Metrics(@DefaultValue("true") boolean enabled) {}

    /**
     * Traces.
     *
     * @param enabled Whether to trace jobs with OpenTelemetry.
     */
    record Tracing(@DefaultValue("true") boolean enabled) {}

    /**
     * Health.
     *
     * @param maxLag The longest time that a ready job may wait before the health is down. Default no limit.
     * @param requireWorker Whether the health is down while no process has a live worker.
     */
    record Health(
            @Nullable Duration maxLag,
            @DefaultValue("false") boolean requireWorker) {}
}
