package dev.windrow.sqlite.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.StoreUnavailableException;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

class SqliteErrorsTest {
    private static SQLiteException error(SQLiteErrorCode code) {
        return new SQLiteException(code.message, code);
    }

    @Test
    void a_commit_whose_write_failed_is_certainly_undone() {
        assertThat(SqliteErrors.mayHaveCommitted(error(SQLiteErrorCode.SQLITE_IOERR_WRITE)))
                .isFalse();
        assertThat(SqliteErrors.mayHaveCommitted(error(SQLiteErrorCode.SQLITE_FULL)))
                .isFalse();
        assertThat(SqliteErrors.mayHaveCommitted(new SQLException("not of SQLite")))
                .isFalse();
    }

    @Test
    void a_commit_whose_sync_failed_may_be_stored() {
        for (SQLiteErrorCode code : List.of(
                SQLiteErrorCode.SQLITE_IOERR,
                SQLiteErrorCode.SQLITE_IOERR_FSYNC,
                SQLiteErrorCode.SQLITE_IOERR_SHMMAP,
                SQLiteErrorCode.SQLITE_IOERR_SHMSIZE)) {
            assertThat(SqliteErrors.mayHaveCommitted(error(code)))
                    .as("%s", code)
                    .isTrue();
        }
    }

    @Test
    void disk_errors_concern_the_whole_store_and_are_named() {
        for (SQLiteErrorCode code : List.of(
                SQLiteErrorCode.SQLITE_IOERR_WRITE,
                SQLiteErrorCode.SQLITE_IOERR_FSYNC,
                SQLiteErrorCode.SQLITE_FULL,
                SQLiteErrorCode.SQLITE_READONLY,
                SQLiteErrorCode.SQLITE_READONLY_DBMOVED,
                SQLiteErrorCode.SQLITE_CANTOPEN)) {
            assertThat(SqliteErrors.isStoreWide(error(code))).as("%s", code).isTrue();
            assertThat(SqliteErrors.translate(error(code), "enqueuing"))
                    .as("%s", code)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith("enqueuing failed: ");
        }
    }
}
