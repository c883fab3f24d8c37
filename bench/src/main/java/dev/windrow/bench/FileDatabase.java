package dev.windrow.bench;

import dev.windrow.Store;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.SqliteStore;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A SQLite file. */
record FileDatabase(Path file, Durability durability) implements Database {
    static final String WORD = "file";

    @Override
    public Store store() {
        return SqliteStore.configure(file).durability(durability).build();
    }

    @Override
    public @Nullable Store countedStore() {
        return null;
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }

    @Override
    public Audit.Dialect dialect() {
        return Audit.Dialect.SQLITE;
    }

    @Override
    public void seed(int finished, String payload) throws SQLException {
        Seeder.seed(file, Seeder.Rows.finished(finished), payload);
    }

    @Override
    public String line() {
        return WORD + " " + durability + " " + file;
    }

    /** Returns its write-ahead log. */
    Path log() {
        return file.resolveSibling(file.getFileName() + "-wal");
    }

    @Override
    public void remove() throws IOException {
        Scratch.remove(file);
    }
}
