package dev.windrow.tests.docs.job;

import dev.windrow.Dedupe;
import dev.windrow.Enqueued;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The code of docs/deduplication.md. */
final class DedupeSnippet {
    private DedupeSnippet() {}

    record Document(int number) {}

    static final JobType<Document, Void> INDEX = JobType.of("document.index", Document.class);

    static Enqueued<Void> twice(Windrow windrow) {
        // region twice
        windrow.enqueue(INDEX.job(new Document(17)).withDedupeKey("document-17"));
        Enqueued<Void> second = windrow.enqueue(INDEX.job(new Document(17)).withDedupeKey("document-17"));
        assert second.deduplicated(); // second.id() and second.state() are those of the first one
        // endregion
        return second;
    }

    static List<Dedupe> choices(Windrow windrow) {
        // region choices
        // While it waits for a worker: what is saved during its run is indexed by another job.
        Dedupe untilStarted = Dedupe.key("document-17").untilStarted();
        // Until it has ended, retries included; this is what dedupeKey("...") says.
        Dedupe unfinished = Dedupe.key("document-17");
        // Once an hour at most, whatever becomes of the job.
        Dedupe hourly = Dedupe.key("report").within(Duration.ofHours(1));
        // Once and never again: a web hook by its number.
        Dedupe once = Dedupe.key("hook-9f2c").forEver();

        // A job that still waits does the newer thing instead.
        Dedupe newest = Dedupe.key("document-17").untilStarted().replace();
        // When nobody has saved for ten seconds, with the last payload.
        Dedupe quiet = Dedupe.key("document-17").debounce(Duration.ofSeconds(10));
        // At once, and then at most each minute.
        Dedupe steady = Dedupe.key("dashboard").throttle(Duration.ofMinutes(1));

        windrow.enqueue(INDEX.job(new Document(17)).withDedupe(quiet));
        // endregion
        return List.of(untilStarted, unfinished, hourly, once, newest, quiet, steady);
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
