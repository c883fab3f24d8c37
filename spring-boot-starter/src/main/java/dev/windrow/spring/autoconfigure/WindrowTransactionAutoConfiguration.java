package dev.windrow.spring.autoconfigure;

import dev.windrow.Jobs;
import dev.windrow.Windrow;
import dev.windrow.spring.autoconfigure.WindrowProperties.TransactionMode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Auto-configuration of the bean {@link Jobs}, which knows the transactions of Spring. */
@AutoConfiguration(after = WindrowAutoConfiguration.class)
@ConditionalOnClass(DataSourceUtils.class)
@ConditionalOnBean({Windrow.class, WindrowProperties.class})
public class WindrowTransactionAutoConfiguration {
    /** The configuration is made by Spring. */
    WindrowTransactionAutoConfiguration() {}

    /** The primary bean of its type, because {@link Windrow} is a {@link Jobs}, too. */
    @Bean
    @Primary
    @ConditionalOnMissingBean(value = Jobs.class, ignored = Windrow.class)
    Jobs jobs(
            Windrow windrow,
            ObjectProvider<ChosenStore> store,
            WindrowProperties properties,
            ListableBeanFactory beans,
            ObjectProvider<DataSource> sources) {
        TransactionMode mode = properties.transactions();
        ChosenStore chosen = store.getIfAvailable();
        // An application that opens its Windrow by itself does that in its data source.
        DataSource source = chosen == null ? sources.getIfUnique() : chosen.source();
        if (mode == TransactionMode.JOIN) {
            if (source == null) {
                requireNoOtherDatabase(windrow, beans);
            } else {
                requireForeignKeys(source);
            }
        }
        if (mode == TransactionMode.IMMEDIATELY && source != null && isSqlite(source)) {
            throw new InvalidWindrowPropertyException(
                    "Property 'windrow.transactions' with value 'immediately' is not possible: the jobs are in the SQLite file of the data source, where a transaction would wait for its own write lock",
                    "Set 'windrow.transactions' to join, after-commit or refuse. Or set 'windrow.sqlite.file' to a file of its own.",
                    null);
        }
        return new TransactionalJobs(windrow, mode, source == null ? null : target(source));
    }

    /** Returns the data source to which transaction managers bind their connections. */
    static DataSource target(DataSource source) {
        DataSource target = source;
        while (target instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
            target = delegating.getTargetDataSource();
        }
        return target;
    }

    private static void requireNoOtherDatabase(Windrow windrow, ListableBeanFactory beans) {
        String[] sources = beans.getBeanNamesForType(DataSource.class);
        if (sources.length > 0) {
            throw new InvalidWindrowPropertyException(
                    "Property 'windrow.transactions' with value 'join' is not possible: the jobs are in %s, which is not the database of the data source '%s'"
                            .formatted(windrow.location(), String.join("', '", sources)),
                    "Set 'windrow.transactions' to after-commit, immediately or refuse. Or keep the jobs in the database of the data source: see 'windrow.store'.",
                    null);
        }
    }

    private static boolean isSqlite(DataSource source) {
        try (Connection connection = source.getConnection()) {
            return isSqlite(connection);
        } catch (SQLException e) {
            throw unreachable(e);
        }
    }

    private static boolean isSqlite(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductName().equals("SQLite");
    }

    private static IllegalStateException unreachable(SQLException e) {
        return new IllegalStateException("the data source of the jobs cannot be reached: " + e.getMessage(), e);
    }

    private static void requireForeignKeys(DataSource source) {
        try (Connection connection = source.getConnection()) {
            if (!isSqlite(connection)) {
                return;
            }
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("PRAGMA foreign_keys")) {
                if (row.next() && row.getInt(1) == 1) {
                    return;
                }
            }
            throw new InvalidWindrowPropertyException(
                    "Property 'spring.datasource.url' with value '%s' is not possible with 'windrow.transactions' of 'join': its connections do not check foreign keys"
                            .formatted(connection.getMetaData().getURL()),
                    "Append '?foreign_keys=true&transaction_mode=IMMEDIATE' to the URL. The second parameter lets a transaction take the write lock at its begin.",
                    null);
        } catch (SQLException e) {
            throw unreachable(e);
        }
    }
}
