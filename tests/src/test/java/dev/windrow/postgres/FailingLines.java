package dev.windrow.postgres;

import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.sql.writer.Batch;

/** A store whose writers can be made to fail in the middle of their transactions. */
public final class FailingLines {
    private FailingLines() {}

    /**
     * Returns the store.
     *
     * @param step run at the beginning of each transaction, before its commit and after it; an exception that it throws is an error at that point
     */
    public static PostgresStore at(String url, String schema, Runnable step) {
        return PostgresStore.configure(url)
                .schema(schema)
                .probe(new Writer.Probe() {
                    @Override
                    public void began(Session session, Batch batch) {
                        step.run();
                    }

                    @Override
                    public void committing(Session session, Batch batch) {
                        step.run();
                    }

                    @Override
                    public void committed(Session session, Batch batch) {
                        step.run();
                    }
                })
                .build();
    }
}
