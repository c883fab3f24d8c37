package dev.windrow.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Windrow;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BareLoopTest {
    @TempDir
    private Path folder;

    @Test
    void theBareLoopLeavesTheSameRowsAsTheEngine() throws Exception {
        Path file = folder.resolve("fused.db");
        try (BareLoop loop = BareLoop.on(file, Durability.FULL, "\"x\"")) {
            assertThat(loop.fused(2500)).isPositive();
        }
        Audit.completed(new FileDatabase(file, Durability.FULL), 2500);
        assertThat(Windrow.diagnose(SqliteStore.at(file), DiagnoseOptions.ALL).failed())
                .isEmpty();
    }

    @Test
    void aDrainLeavesTheSameRowsAsTheEngine() throws Exception {
        Path file = folder.resolve("drain.db");
        try (BareLoop loop = BareLoop.on(file, Durability.NORMAL, "\"x\"")) {
            assertThat(loop.drain(1700)).isPositive();
        }
        Audit.completed(new FileDatabase(file, Durability.FULL), 1700);
    }

    @Test
    void countingFindsAMissingEvent() throws Exception {
        Path file = folder.resolve("damaged.db");
        try (BareLoop loop = BareLoop.on(file, Durability.FULL, "\"x\"")) {
            loop.fused(10);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE windrow_jobs SET started_at = NULL WHERE id = 1");
        }
        assertThatThrownBy(() -> Audit.completed(new FileDatabase(file, Durability.FULL), 10))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("9 instead of 10");
    }
}
