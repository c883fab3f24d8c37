package dev.windrow.sqlite;

import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.sql.writer.Batch;
import java.nio.file.Path;

/** A store whose writer can be made to fail in the middle of its transactions. */
public final class FailingWriter {
    private FailingWriter() {}

    /** @param step run at the beginning of each transaction, before its commit and before it is rolled back; what it throws is an error there */
    public static SqliteStore at(Path file, Runnable step) {
        return SqliteStore.configure(file)
                .probe(new Writer.Probe() {
                    @Override
                    public void began(SqliteFile.Opened database, Batch batch) {
                        step.run();
                    }

                    @Override
                    public void committing(Batch batch) {
                        step.run();
                    }

                    @Override
                    public void rollingBack() {
                        step.run();
                    }
                })
                .build();
    }
}
