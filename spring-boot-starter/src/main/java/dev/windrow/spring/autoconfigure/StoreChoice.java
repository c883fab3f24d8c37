package dev.windrow.spring.autoconfigure;

import static dev.windrow.spring.autoconfigure.InvalidWindrowPropertyException.apply;

import dev.windrow.InvalidRequestException;
import dev.windrow.Store;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ClassUtils;

/** Chooses the store by {@code windrow.store} and the data sources of the application. */
final class StoreChoice {
    private static final String DELEGATING = "org.springframework.jdbc.datasource.DelegatingDataSource";
    private static final String DEFAULT_FILE = "jobs.db";
    private static final String SQLITE = "SQLite";
    private static final String POSTGRES = "PostgreSQL";

    private final WindrowProperties properties;
    private final ListableBeanFactory beans;

    StoreChoice(WindrowProperties properties, ListableBeanFactory beans) {
        this.properties = properties;
        this.beans = beans;
    }

    ChosenStore choose() {
        return switch (properties.store()) {
            case AUTO -> auto();
            case SQLITE -> sqlite(properties.sqlite().file());
            case POSTGRESQL -> postgres(named());
        };
    }

    private ChosenStore auto() {
        if (properties.sqlite().file() != null) {
            return sqlite(properties.sqlite().file());
        }
        if (sources().isEmpty()) {
            return sqlite(DEFAULT_FILE);
        }
        DataSource source = named();
        Database database = look(source);
        return switch (database.product()) {
            case SQLITE -> {
                if (database.file() == null) {
                    throw wrong(
                            "Property 'windrow.store' with value 'auto' is not possible: the SQLite data source is in memory, and jobs are kept in a file",
                            "Set 'spring.datasource.url' to a file. Or set 'windrow.sqlite.file' to a file of its own, and 'windrow.transactions' to after-commit, immediately or refuse.");
                }
                yield sqlite(null);
            }
            case POSTGRES -> postgres(source);
            default ->
                throw wrong(
                        "Property 'windrow.store' with value 'auto' is not possible: the data source is a database of %s, in which no jobs can be kept"
                                .formatted(database.product()),
                        "Keep the jobs in a file: set 'windrow.sqlite.file', and 'windrow.transactions' to after-commit, immediately or refuse. Or set 'windrow.postgresql.data-source' to the name of a data source of PostgreSQL.");
        };
    }

    private Map<String, DataSource> sources() {
        return beans.getBeansOfType(DataSource.class);
    }

    /** Returns the data source of the property, or else the only or primary one. */
    private DataSource named() {
        String name = properties.postgresql().dataSource();
        Map<String, DataSource> all = sources();
        if (name != null) {
            DataSource source = all.get(name);
            if (source == null) {
                throw wrong(
                        "Property 'windrow.postgresql.data-source' with value '%s' is not allowed: there is no data source of this name"
                                .formatted(name),
                        all.isEmpty()
                                ? "Declare a data source, for example by 'spring.datasource.url'."
                                : "Set it to one of: %s.".formatted(String.join(", ", all.keySet())));
            }
            return source;
        }
        ObjectProvider<DataSource> sources = beans.getBeanProvider(DataSource.class);
        DataSource only = sources.getIfUnique();
        if (only == null) {
            throw all.isEmpty()
                    ? wrong(
                            "Property 'windrow.store' with value '%s' is not possible: the application has no data source"
                                    .formatted(kind()),
                            "Set 'spring.datasource.url' to a database of PostgreSQL, or 'windrow.store' to sqlite.")
                    : wrong(
                            "Property 'windrow.postgresql.data-source' has no value, and there are %d data sources, none of them primary"
                                    .formatted(all.size()),
                            "Set it to one of: %s. Or set 'windrow.sqlite.file'."
                                    .formatted(String.join(", ", all.keySet())));
        }
        return only;
    }

    private String kind() {
        return properties.store().name().toLowerCase(Locale.ROOT);
    }

    private ChosenStore postgres(DataSource given) {
        // The connections of the store are its own: a proxy would let them join the transaction of a caller.
        DataSource source = ClassUtils.isPresent(DELEGATING, StoreChoice.class.getClassLoader())
                ? WindrowTransactionAutoConfiguration.target(given)
                : given;
        Database database = look(source);
        if (!database.product().equals(POSTGRES)) {
            throw wrong(
                    "Property 'windrow.store' with value '%s' is not possible: the data source is a database of %s"
                            .formatted(kind(), database.product()),
                    "Set 'windrow.postgresql.data-source' to the name of a data source of PostgreSQL, or 'windrow.store' to sqlite.");
        }
        WindrowProperties.Postgresql settings = properties.postgresql();
        try {
            var unused = PostgresStore.at(source);
        } catch (InvalidRequestException e) {
            throw new InvalidWindrowPropertyException(
                    "Property 'spring.datasource.hikari.maximum-pool-size' is not allowed: " + e.getMessage(),
                    "Set 'spring.datasource.hikari.maximum-pool-size' to 10, its default, or more.",
                    e);
        } catch (NoClassDefFoundError e) {
            throw wrong(
                    "Property 'windrow.store' with value '%s' is not possible: a class of the store is missing: %s"
                            .formatted(kind(), e.getMessage()),
                    "Add the artifacts org.postgresql:postgresql and com.zaxxer:HikariCP. The latter comes with spring-boot-starter-jdbc.");
        }
        PostgresStore.Builder builder = PostgresStore.configure(source).schema(settings.schema());
        apply("windrow.postgresql.schema", settings.schema(), builder::build);
        builder.tablePrefix(settings.tablePrefix());
        Store[] store = new Store[1];
        apply("windrow.postgresql.table-prefix", settings.tablePrefix(), () -> store[0] = builder.build());
        return new ChosenStore(store[0], given);
    }

    private ChosenStore sqlite(@Nullable String file) {
        DataSource source = file == null ? sqliteSource() : sourceOf(Path.of(file));
        Path path = file != null
                ? Path.of(file)
                : source == null
                        ? Path.of(DEFAULT_FILE)
                        : Objects.requireNonNull(look(source).file());
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw wrong(
                    "Property 'windrow.sqlite.file' with value '%s' is not possible: there is no folder %s"
                            .formatted(path, folder),
                    "Create the folder, or set the property to a file in a folder that exists.");
        }
        Store[] store = new Store[1];
        apply(
                "windrow.sqlite.file",
                path,
                () -> store[0] = SqliteStore.configure(path)
                        .durability(properties.sqlite().durability())
                        .build());
        return new ChosenStore(store[0], source);
    }

    /** Returns the only or primary data source if it is of SQLite. */
    private @Nullable DataSource sqliteSource() {
        DataSource source = sources().isEmpty()
                ? null
                : beans.getBeanProvider(DataSource.class).getIfUnique();
        return source != null && look(source).file() != null ? source : null;
    }

    /** Returns the data source of a file; null if there is none. */
    private @Nullable DataSource sourceOf(Path file) {
        List<DataSource> found = new ArrayList<>();
        for (DataSource source : sources().values()) {
            Path other = look(source).file();
            if (other != null && isSame(other, file)) {
                found.add(source);
            }
        }
        DataSource primary =
                found.isEmpty() ? null : beans.getBeanProvider(DataSource.class).getIfUnique();
        return found.contains(primary) ? primary : found.isEmpty() ? null : found.get(0);
    }

    private static boolean isSame(Path one, Path other) {
        return one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    }

    /**
     * A database.
     *
     * @param product its name, as the driver reports it
     * @param file the file; null if it is not of SQLite, or in memory
     */
    private record Database(String product, @Nullable Path file) {}

    private Database look(DataSource source) {
        try (Connection connection = source.getConnection()) {
            String product = connection.getMetaData().getDatabaseProductName();
            if (!product.equals(SQLITE)) {
                return new Database(product, null);
            }
            try (Statement statement = connection.createStatement()) {
                return new Database(product, file(statement));
            } finally {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the data source of the jobs cannot be reached: " + e.getMessage(), e);
        }
    }

    private static @Nullable Path file(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("PRAGMA database_list")) {
            while (rows.next()) {
                String file = rows.getString(3);
                if (rows.getString(2).equals("main") && file != null && !file.isEmpty()) {
                    return Path.of(file);
                }
            }
            return null;
        }
    }

    private static InvalidWindrowPropertyException wrong(String description, String action) {
        return new InvalidWindrowPropertyException(description, action, null);
    }
}
