package dev.windrow.bench;

import dev.windrow.sqlite.Durability;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** New SQLite files in a folder that is removed at the end. */
record ScratchFiles(Scratch scratch, Durability durability) implements Databases {
    @Override
    public Database next() {
        return new FileDatabase(scratch.newFile(), durability);
    }

    @Override
    public String version() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT sqlite_version()")) {
            row.next();
            return "SQLite " + row.getString(1);
        }
    }

    @Override
    public boolean hasBareLoop() {
        return true;
    }

    @Override
    public void close() {
        // The owner removes the folder.
    }
}
