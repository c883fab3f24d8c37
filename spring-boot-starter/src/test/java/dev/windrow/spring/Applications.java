package dev.windrow.spring;

import dev.windrow.Jobs;
import dev.windrow.Windrow;
import dev.windrow.spring.autoconfigure.WindrowAutoConfiguration;
import dev.windrow.spring.autoconfigure.WindrowTransactionAutoConfiguration;
import dev.windrow.spring.autoconfigure.WindrowWorkerAutoConfiguration;
import dev.windrow.testserver.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Contexts with the auto-configurations that an application with a database has. */
final class Applications {
    private Applications() {}

    /** The databases of the application, and with it of the jobs. */
    enum Database {
        SQLITE {
            @Override
            List<String> properties() {
                return List.of("spring.datasource.url=jdbc:sqlite:" + folder().resolve("app.db")
                        + "?foreign_keys=true&transaction_mode=IMMEDIATE");
            }
        },
        POSTGRES {
            @Override
            List<String> properties() {
                String schema = PostgresServer.shared().newSchema();
                return List.of(
                        "spring.datasource.url=" + PostgresServer.shared().url() + "&currentSchema=" + schema,
                        "spring.datasource.hikari.connection-init-sql=CREATE SCHEMA IF NOT EXISTS " + schema,
                        "spring.datasource.hikari.minimum-idle=1",
                        "windrow.postgresql.schema=" + schema);
            }
        };

        abstract List<String> properties();
    }

    static Path folder() {
        try {
            return Files.createTempDirectory("windrow-starter");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a context of an application on this database. */
    static ApplicationContextRunner on(Database database) {
        return withDataSource().withPropertyValues(database.properties().toArray(String[]::new));
    }

    /** Returns a context with the data source of its properties. */
    static ApplicationContextRunner withDataSource() {
        return withoutDataSource().withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class));
    }

    /** Returns a context without a data source of Spring Boot. */
    static ApplicationContextRunner withoutDataSource() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        WindrowAutoConfiguration.class,
                        WindrowTransactionAutoConfiguration.class,
                        WindrowWorkerAutoConfiguration.class));
    }

    static Windrow windrow(ApplicationContext context) {
        return context.getBean(Windrow.class);
    }

    static Jobs jobs(ApplicationContext context) {
        return context.getBean(Jobs.class);
    }

    static JdbcTemplate jdbc(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class);
    }

    static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }
}
