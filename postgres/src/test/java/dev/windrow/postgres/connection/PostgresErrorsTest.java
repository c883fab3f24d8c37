package dev.windrow.postgres.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.postgresql.util.ServerErrorMessage;

/** The meanings of errors. */
class PostgresErrorsTest {
    private static SQLException ofServer(String severity, String state) {
        return new PSQLException(new ServerErrorMessage("S" + severity + "\0C" + state + "\0Mtold\0"));
    }

    @ParameterizedTest
    @CsvSource({
        "ERROR, 23505, true",
        "ERROR, 42883, true",
        "ERROR, 55P03, true",
        "ERROR, 26000, true",
        "ERROR, 25006, true",
        "ERROR, 57014, false",
        "ERROR, 58030, false",
        "ERROR, XX000, false",
        "ERROR, 08P01, false",
        "FATAL, 25P04, false",
        "FATAL, 23505, false",
        "PANIC, 53100, false",
        "FEHLER, 23505, false"
    })
    void onlyARefusedStatementProvesThatNothingWasCommitted(String severity, String state, boolean expected) {
        assertThat(PostgresErrors.isRefusal(ofServer(severity, state))).isEqualTo(expected);
    }

    @Test
    void anErrorOfTheDriverProvesNothing() {
        assertThat(PostgresErrors.isRefusal(new PSQLException("told", PSQLState.UNIQUE_VIOLATION)))
                .isFalse();
        assertThat(PostgresErrors.isRefusal(new SQLException("told", "23505"))).isFalse();
    }

    /** A pool may not know yet that the connection is closed. */
    @Test
    void anErrorBeforeTheConnectionBreaksProvesNothing() {
        SQLException error = ofServer("ERROR", "23505");
        error.setNextException(new PSQLException("told", PSQLState.CONNECTION_FAILURE));
        assertThat(PostgresErrors.isRefusal(error)).isFalse();
    }

    @Test
    void aTransactionThatTookTooLongHasEndedTheConnection() {
        assertThat(PostgresErrors.isConnectionGone(ofServer("FATAL", "25P04"))).isTrue();
    }
}
