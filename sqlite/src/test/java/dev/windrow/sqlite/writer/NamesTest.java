package dev.windrow.sqlite.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.SqliteStatements;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The numbers of names that a process keeps in memory. */
class NamesTest {
    @TempDir
    Path folder;

    @Test
    void theCacheOfActorsIsBoundedAndActorsKeepTheirNumbers() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.open(file).close();
        Names names = new Names();
        try (SqliteFile.Opened database = new SqliteFile(file, Durability.NORMAL, 60_000).openWriter();
                SqliteStatements statements = database.statements()) {
            long first = 0;
            for (int part = 0; part < 3; part++) {
                statements.run(TransactionSql.BEGIN);
                Names.InTransaction transaction = names.new InTransaction(statements);
                long again = transaction.actor("first");
                for (int i = 0; i < Names.MAX_ACTORS / 2; i++) {
                    long number = transaction.actor("actor " + part + " " + i);
                    assertThat(number).isPositive();
                }
                statements.run(TransactionSql.COMMIT);
                transaction.committed();
                assertThat(names.knownActors()).isPositive().isLessThanOrEqualTo(Names.MAX_ACTORS);
                first = first == 0 ? again : first;
                assertThat(again).isEqualTo(first);
            }
        }
    }
}
