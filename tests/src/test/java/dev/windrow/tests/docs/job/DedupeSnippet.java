package dev.windrow.tests.docs.job;

import dev.windrow.Dedupe;
import dev.windrow.Enqueued;
import dev.windrow.JobHandle;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The code of docs/how-to/deduplication.md. */
final class DedupeSnippet {
    private DedupeSnippet() {}

    // region types
    record Document(int number) {}

    static final JobType<Document, Void> INDEX = JobType.of("document.index", Document.class);
    // endregion

    static Enqueued<Void> twice(Windrow windrow) {
        // region twice
        windrow.enqueue(INDEX.job(new Document(17)).withDedupeKey("document-17"));
        Enqueued<Void> second = windrow.enqueue(INDEX.job(new Document(17)).withDedupeKey("document-17"));
        assert second.deduplicated(); // second.id() and second.state() belong to the first job
        // endregion
        return second;
    }

    static List<Dedupe> choices(Windrow windrow) {
        // region choices
        // While it waits for a worker. An enqueue during its run writes another job.
        Dedupe untilStarted = Dedupe.key("document-17").untilStarted();
        // Until it has ended, retries included: the same as withDedupeKey("...").
        Dedupe unfinished = Dedupe.key("document-17");
        // At most once an hour, however the job ends.
        Dedupe hourly = Dedupe.key("report").within(Duration.ofHours(1));
        // Once forever: a web hook by its number.
        Dedupe once = Dedupe.key("hook-9f2c").forEver();

        // A waiting job takes over the newer payload.
        Dedupe newest = Dedupe.key("document-17").untilStarted().replace();
        // Ten seconds after the last save, with its payload.
        Dedupe quiet = Dedupe.key("document-17").debounce(Duration.ofSeconds(10));
        // At once, then at most once a minute.
        Dedupe steady = Dedupe.key("dashboard").throttle(Duration.ofMinutes(1));

        windrow.enqueue(INDEX.job(new Document(17)).withDedupe(quiet));
        // endregion
        return List.of(untilStarted, unfinished, hourly, once, newest, quiet, steady);
    }

    static void again(Windrow windrow) {
        // region key
        JobHandle<Void> job = windrow.job(INDEX, "document-17"); // no id is stored
        if (job.info().state() == JobState.FAILED) {
            job.retry();
        }
        windrow.await(job.ref(), Duration.ofSeconds(30));
        // endregion
    }

    static void save(Windrow windrow, Connection connection, Document document) throws SQLException {
        // region transaction
        connection.setAutoCommit(false);
        save(connection, document);
        windrow.on(connection)
                .enqueue(INDEX.job(document)
                        .withDedupe(Dedupe.key("document-" + document.number()).debounce(Duration.ofSeconds(10))));
        connection.commit(); // both or neither
        // endregion
    }

    private static void save(Connection connection, Document document) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO documents (number) VALUES (?)")) {
            insert.setInt(1, document.number());
            insert.executeUpdate();
        }
    }
}
