package dev.windrow.postgres.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.TimeSource;
import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.schema.SchemaGuard;
import dev.windrow.store.sql.connection.TablePrefix;
import dev.windrow.testserver.PostgresServer;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The numbers of names that a process keeps. */
class NamesTest {
    private static final String TIMEOUT = "60s";

    private final PostgresServer server = PostgresServer.shared();
    private final String schema = server.newSchema();
    private final Tables tables = new Tables(schema, TablePrefix.DEFAULT);
    private final Database database = new Database(server.dataSource(), null, tables, TimeUnit.SECONDS.toNanos(60), 0);
    private Session session;
    private SchemaGuard guard;

    @BeforeEach
    void open() throws SQLException {
        session = database.borrow();
        guard = new SchemaGuard("here", Migrations.apply(session, database, "here"));
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
        database.close();
        try (TestTables left = TestTables.open(server, schema)) {
            left.execute("DROP SCHEMA \"" + schema + "\" CASCADE");
        }
    }

    private Names namesOf(long run) {
        return new Names(guard, run, Shared.controlsLock(tables), TIMEOUT, new ServerClock(TimeSource.system()));
    }

    private static Names.Used used(Stream<String> actors) {
        Names.Used used = new Names.Used();
        actors.forEach(used::actor);
        return used;
    }

    @Test
    void aTransactionHasTheNumbersOfItsActorsBeyondTheCacheSize() throws SQLException {
        Names names = namesOf(session.run().started());
        Names.Used many = used(IntStream.range(1, 10_000).mapToObj(i -> "actor " + i));
        names.ensure(session, many);
        assertThat(names.know(used(Stream.of("actor 1")))).isTrue();
        names.ensure(session, used(Stream.of("one more")));
        Names.Used first = used(Stream.of("actor 1"));
        assertThat(names.know(first)).isFalse();
        names.ensure(session, first);
        assertThat(first.number("actor 1")).isEqualTo(many.number("actor 1")).isPositive();
        assertThat(names.know(used(Stream.of("actor 1", "one more")))).isTrue();
    }

    @Test
    void namesOfAnotherServerRunAreNotCached() throws SQLException {
        Names names = namesOf(session.run().started() - 1);
        assertThatThrownBy(() -> names.ensure(session, new Names.Used()))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("another server");
        assertThat(names.know(new Names.Used())).isFalse();
    }
}
