package dev.windrow.store.sql.monitor;

import dev.windrow.store.monitor.RecordReveal;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** The entries of the audit about confidential values that were shown. */
public final class Reveals {
    /** The number of jobs that an entry names, as the entry of a change. */
    private static final int NAMED = 100;

    private Reveals() {}

    /** Writes an entry. It names the first jobs, without jobs that do not exist. */
    public static void record(WriteTransaction tx, RecordReveal reveal) throws SQLException {
        List<Long> jobs = reveal.jobs();
        Object[] detail = reveal.detail().entrySet().stream()
                .flatMap(part -> Stream.of(part.getKey(), part.getValue()))
                .toArray();
        long entry = tx.audit(
                RecordReveal.ACTION, reveal.actor(), reveal.author().reason(), jobs.size(), JsonText.object(detail));
        if (!jobs.isEmpty()) {
            tx.statements()
                    .get(Statement.INSERT_REVEALED_JOBS)
                    .set(1, entry)
                    .ids(2, jobs.stream().sorted().limit(NAMED).toList())
                    .update();
        }
    }
}
