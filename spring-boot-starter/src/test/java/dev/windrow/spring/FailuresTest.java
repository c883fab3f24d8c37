package dev.windrow.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobType;
import dev.windrow.spring.Applications.Database;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What an application prints that cannot start with its settings. */
@Tag("once")
class FailuresTest {
    static class Hello {
        @JobHandler("hello")
        void hello(String name) {}
    }

    private static FailureAnalysis failure(ApplicationContextRunner application) {
        FailureAnalysis[] found = new FailureAnalysis[1];
        application.run(context -> {
            Throwable failure = context.getStartupFailure();
            assertThat(failure).as("the failure of the start").isNotNull();
            found[0] = SpringFactoriesLoader.forDefaultResourceLocation(FailuresTest.class.getClassLoader())
                    .load(FailureAnalyzer.class, (type, name, e) -> {})
                    .stream()
                    // It needs an environment.
                    .filter(analyzer -> !analyzer.getClass().getName().contains("DataSourceBean"))
                    .map(analyzer -> analyzer.analyze(failure))
                    .filter(analysis -> analysis != null)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no analysis", failure));
        });
        return found[0];
    }

    private static ApplicationContextRunner application() {
        return Applications.withoutDataSource()
                .withBean(Hello.class)
                .withPropertyValues(
                        "windrow.sqlite.file=" + Applications.folder().resolve("jobs.db"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    windrow.worker.concurrency      | 0    | 1 to 1000
                    windrow.worker.lease            | 2h   | 1s to 1h
                    windrow.worker.poll             | 1ms  | 10ms to 1m
                    windrow.worker.queues           | a b  | A-Z a-z 0-9 . _ -
                    windrow.worker.queues           | a:b  | NAME:LIMIT
                    windrow.worker.queues           | a:0  | 1 to 1000
                    windrow.worker.drain-timeout    | 48h  | 0s to 1d
                    windrow.worker.default-timeout  | 0s   | 1ms to 3650d
                    windrow.retention.every         | 10ms | 1s to 7d
                    """)
    void aValueOutOfRangeIsNamedWithItsPropertyAndTheRange(String property, String value, String range) {
        FailureAnalysis failure = failure(application().withPropertyValues(property + "=" + value));
        assertThat(failure.getDescription()).contains("'" + property + "'").contains(range);
        assertThat(failure.getAction()).contains("'" + property + "'").contains(range);
    }

    @Test
    void anUnknownStoreIsNamedWithTheAllowedOnes() {
        FailureAnalysis failure = failure(application().withPropertyValues("windrow.store=oracle"));
        assertThat(failure.getDescription()).contains("windrow.store").contains("oracle");
        assertThat(failure.getAction()).contains("AUTO", "SQLITE", "POSTGRESQL");
    }

    @Test
    void aFileInAMissingFolderIsRefused() {
        FailureAnalysis failure = failure(application().withPropertyValues("windrow.sqlite.file=/no/such/jobs.db"));
        assertThat(failure.getDescription()).contains("'windrow.sqlite.file' with value '/no/such/jobs.db'");
    }

    @Test
    void postgresqlWithoutADataSourceIsRefused() {
        FailureAnalysis failure =
                failure(Applications.withoutDataSource().withPropertyValues("windrow.store=postgresql"));
        assertThat(failure.getDescription()).contains("the application has no data source");
        assertThat(failure.getAction()).contains("spring.datasource.url");
    }

    @Test
    void aDataSourceThatIsMissingIsNamedWithTheOthers() {
        FailureAnalysis failure = failure(Applications.on(Database.SQLITE)
                .withPropertyValues("windrow.store=postgresql", "windrow.postgresql.data-source=other"));
        assertThat(failure.getDescription()).contains("'windrow.postgresql.data-source' with value 'other'");
        assertThat(failure.getAction()).contains("dataSource");
    }

    @Test
    void postgresqlOnAnotherDatabaseIsRefused() {
        FailureAnalysis failure =
                failure(Applications.on(Database.SQLITE).withPropertyValues("windrow.store=postgresql"));
        assertThat(failure.getDescription()).contains("a database of SQLite");
    }

    @Test
    void aPoolThatIsTooSmallIsRefused() {
        FailureAnalysis failure = failure(
                Applications.on(Database.POSTGRES).withPropertyValues("spring.datasource.hikari.maximum-pool-size=1"));
        assertThat(failure.getDescription()).contains("'spring.datasource.hikari.maximum-pool-size'");
    }

    @Test
    void transactionsOfAnotherDatabaseCannotBeJoined() {
        FailureAnalysis failure = failure(Applications.on(Database.POSTGRES)
                .withPropertyValues(
                        "windrow.sqlite.file=" + Applications.folder().resolve("jobs.db")));
        assertThat(failure.getDescription()).contains("'windrow.transactions' with value 'join'", "'dataSource'");
        assertThat(failure.getAction()).contains("after-commit, immediately or refuse");
    }

    @Test
    void aSqliteDataSourceWithoutForeignKeysIsRefused() {
        FailureAnalysis failure = failure(Applications.withDataSource()
                .withPropertyValues("spring.datasource.url=jdbc:sqlite:"
                        + Applications.folder().resolve("app.db")));
        assertThat(failure.getDescription()).contains("'spring.datasource.url'", "foreign keys");
        assertThat(failure.getAction()).contains("?foreign_keys=true&transaction_mode=IMMEDIATE");
    }

    @Test
    void aSqliteDataSourceInMemoryIsRefused() {
        FailureAnalysis failure =
                failure(Applications.withDataSource().withPropertyValues("spring.datasource.url=jdbc:sqlite::memory:"));
        assertThat(failure.getDescription()).contains("in memory");
        assertThat(failure.getAction()).contains("windrow.sqlite.file");
    }

    static class TwoSources {
        @Bean
        DataSource one() {
            return new DriverManagerDataSource();
        }

        @Bean
        DataSource two() {
            return new DriverManagerDataSource();
        }
    }

    @Test
    void severalDataSourcesNeedAChoice() {
        FailureAnalysis failure = failure(Applications.withoutDataSource().withUserConfiguration(TwoSources.class));
        assertThat(failure.getDescription()).contains("'windrow.postgresql.data-source' has no value");
        assertThat(failure.getAction()).contains("one, two");
    }

    static class WrongType {
        @Bean
        JobType<Integer, Void> hello() {
            return JobType.of("hello", Integer.class);
        }
    }

    @Test
    void aHandlerOfAnotherInputThanItsTypeIsRefused() {
        FailureAnalysis failure = failure(application().withUserConfiguration(WrongType.class));
        assertThat(failure.getDescription())
                .contains("Hello.hello", "'hello'", "java.lang.String", "java.lang.Integer");
    }

    static class Wrong {
        @JobHandler("two")
        void twoInputs(String one, String two) {}
    }

    static class Again {
        @JobHandler("hello")
        void hello() {}
    }

    static class Scheduled {
        @JobSchedule(name = "often", every = "100ms")
        void often() {}
    }

    static class Never {
        @JobSchedule(name = "never", cron = "0 0 30 2 *", every = "1h")
        void never() {}
    }

    static class Late {
        @JobSchedule(name = "late", cron = "0 3 * * *", zone = "Mars/Base")
        void late() {}
    }

    static Stream<List<Object>> handlers() {
        return Stream.of(
                List.of(Wrong.class, "Wrong.twoInputs"),
                List.of(Again.class, "handle the same job type 'hello'"),
                List.of(Scheduled.class, "interval 100ms"),
                List.of(Never.class, "give one of them"),
                List.of(Late.class, "zone 'Mars/Base'"));
    }

    @ParameterizedTest
    @MethodSource("handlers")
    void aWrongHandlerIsNamed(List<Object> handler) {
        FailureAnalysis failure = failure(application().withBean((Class<?>) handler.get(0)));
        assertThat(failure.getDescription()).contains((String) handler.get(1));
        assertThat(failure.getAction()).isNotBlank();
    }
}
