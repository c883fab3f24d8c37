package dev.windrow.spring;

import static dev.windrow.spring.Applications.jobs;
import static dev.windrow.spring.Applications.windrow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.query.JobFilter;
import dev.windrow.testserver.PostgresServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with two databases, of which one has the jobs. */
class TwoDataSourcesTest {
    private static final JobType<String, Void> HELLO = JobType.of("hello", String.class);

    private static final String FILE = Applications.folder().resolve("app.db").toString();

    @Configuration
    static class Databases {
        @Bean
        @Primary
        DataSource file() {
            return new DriverManagerDataSource("jdbc:sqlite:" + FILE + "?foreign_keys=true&transaction_mode=IMMEDIATE");
        }

        @Bean
        DataSource server() {
            return new TransactionAwareDataSourceProxy(PostgresServer.shared().dataSource());
        }

        @Bean
        PlatformTransactionManager fileTransactions(DataSource file) {
            return new DataSourceTransactionManager(file);
        }

        @Bean
        PlatformTransactionManager serverTransactions(ApplicationContext context) {
            return new DataSourceTransactionManager(context.getBean("server", DataSource.class));
        }
    }

    private static ApplicationContextRunner application() {
        return Applications.withoutDataSource()
                .withUserConfiguration(Databases.class)
                .withPropertyValues("windrow.worker.enabled=false");
    }

    private static TransactionTemplate transaction(ApplicationContext context, String manager) {
        return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
    }

    private static void check(ApplicationContext context, String joined, String other) {
        transaction(context, joined).executeWithoutResult(status -> {
            jobs(context).enqueue(HELLO, "Ada");
            status.setRollbackOnly();
        });
        assertThat(windrow(context).jobs(JobFilter.ALL).count()).isZero();
        transaction(context, joined)
                .executeWithoutResult(status -> jobs(context).enqueue(HELLO, "Ada"));
        assertThat(windrow(context).jobs(JobFilter.ALL).count()).isEqualTo(1);
        assertThatThrownBy(() -> transaction(context, other)
                        .executeWithoutResult(status -> jobs(context).enqueue(HELLO, "Ada")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("not on the data source of the jobs");
        assertThat(windrow(context).jobs(JobFilter.ALL).count()).isEqualTo(1);
    }

    @Test
    void jobsAreInThePrimaryOneUnlessAPropertyNamesTheOther() {
        application().run(context -> {
            assertThat(windrow(context).location()).contains("app.db");
            check(context, "fileTransactions", "serverTransactions");
        });
        application()
                .withPropertyValues(
                        "windrow.postgresql.data-source=server",
                        "windrow.store=postgresql",
                        "windrow.postgresql.schema=" + PostgresServer.shared().newSchema())
                .run(context -> {
                    assertThat(windrow(context).location()).contains("PostgreSQL");
                    check(context, "serverTransactions", "fileTransactions");
                });
    }

    @Test
    void aFileThatIsTheSecondDataSourceIsJoined() {
        application()
                .withPropertyValues("windrow.store=sqlite", "windrow.sqlite.file=" + FILE)
                .run(context -> transaction(context, "fileTransactions").executeWithoutResult(status -> {
                    jobs(context).enqueue(HELLO, "Ada");
                    status.setRollbackOnly();
                }));
    }
}
