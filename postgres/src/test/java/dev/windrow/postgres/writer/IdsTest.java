package dev.windrow.postgres.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.store.sql.connection.TablePrefix;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The ids of a process, on a connection that breaks while their rows are read. */
class IdsTest {
    private static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Returns the statements of a connection that takes the block of this first id. It breaks after the row, or does not. */
    private static PostgresStatements taking(long first, boolean breaks) {
        AtomicInteger reads = new AtomicInteger();
        ResultSet rows = proxy(ResultSet.class, method -> switch (method) {
            case "next" -> {
                if (breaks && reads.get() == 1) {
                    throw new SQLException("the connection broke", "08006");
                }
                yield reads.incrementAndGet() == 1;
            }
            case "getLong" -> first;
            default -> null;
        });
        PreparedStatement statement =
                proxy(PreparedStatement.class, method -> method.equals("executeQuery") ? rows : null);
        Connection connection = proxy(Connection.class, method -> statement);
        return new PostgresStatements(connection, new Tables("s", TablePrefix.DEFAULT));
    }

    private interface Answer {
        Object to(String method) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) ->
                        method.getReturnType() == void.class ? null : answer.to(method.getName())));
    }

    /** The rows that were read are not known to be on disk. */
    @Test
    void idsWhoseRowsWereNotAllReadAreNotSafe() throws SQLException {
        Ids ids = new Ids(new AtomicLong());
        assertThat(ids.take(taking(1, false), 1)).containsExactly(1L);
        assertThat(ids.takeSafe(KEPT_NANOS)).isNull();
        ids.flushed(ids.block());
        assertThat(ids.takeSafe(KEPT_NANOS)).isEqualTo(new Ids.Safe(2, 100_001));
        ids.drop();
        assertThatThrownBy(() -> ids.take(taking(101, true), 1)).hasMessage("the connection broke");
        assertThat(ids.takeSafe(KEPT_NANOS)).isNull();
    }
}
