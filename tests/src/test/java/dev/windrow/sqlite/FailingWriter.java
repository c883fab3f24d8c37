package dev.windrow.sqlite;

import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.sql.writer.Batch;
import java.nio.file.Path;

/** A store whose writer can be made to fail in the middle of its transactions. */
public final class FailingWriter {
    private FailingWriter() {}

    /**
     * Returns the store.
     *
     * @param step run at the beginning of each transaction, before its commit and before its rollback; an exception that it throws is an error at
     *     that point
     */
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
