package dev.windrow.postgres;

import dev.windrow.EventKind;
import dev.windrow.JobStory;
import dev.windrow.store.Hold;
import dev.windrow.store.Report;
import dev.windrow.store.sql.Columns;
import dev.windrow.store.sql.JsonText;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The holder's verb report: progress, lines of its log, a handler that is stuck. Guarded by (id, RUNNING, token). */
final class Reports {
    /** The most characters of a progress message in an event's detail, which is short. */
    private static final int MAX_DETAIL = 200;

    private static final Columns<Hold> HOLDS =
            new Columns<Hold>().longs(Hold::id).longs(Hold::token);

    private Reports() {}

    /** Which of these holders still are; their rows are locked. */
    static Set<Hold> held(PostgresTransaction tx, List<Hold> holds) throws SQLException {
        PostgresQuery query = tx.statements().get(Sql.STILL_HELD);
        query.bind(1, HOLDS, holds);
        return Settles.holds(query);
    }

    /** Writes what is reported by one who is known to hold the job. */
    static void report(PostgresTransaction tx, Report report) throws SQLException {
        Report.Progress progress = report.progress();
        if (progress != null) {
            progress(tx, report, progress);
        }
        if (!report.lines().isEmpty()) {
            log(tx, report);
        }
        Report.Stuck stuck = report.stuck();
        if (stuck != null) {
            event(tx, report, stuck.atMillis(), EventKind.STUCK, "slot", stuck.slot(), "frame", stuck.frame());
        }
    }

    private static void progress(PostgresTransaction tx, Report report, Report.Progress progress) throws SQLException {
        tx.statements()
                .get(Sql.WRITE_PROGRESS)
                .set(1, report.hold().id())
                .set(2, report.hold().token())
                .set(3, tx.clock.toServer(progress.atMillis()))
                .set(4, progress.fraction())
                .set(5, progress.message())
                .update();
        tx.wroteAbout(report.hold().id());
        if (progress.heartbeat()) {
            event(
                    tx,
                    report,
                    progress.atMillis(),
                    EventKind.HEARTBEAT,
                    "fraction",
                    progress.fraction(),
                    "message",
                    shortened(progress.message()));
        }
    }

    /** Appends the lines and removes those that are too many: the numbers of what is left tell how many there were. */
    private static void log(PostgresTransaction tx, Report report) throws SQLException {
        long job = report.hold().id();
        Long before = tx.statements().get(Sql.LAST_LOG_LINE).set(1, job).oneOrNull();
        List<Report.Line> lines = report.lines();
        int skipped = Math.max(0, lines.size() - JobStory.MAX_LOG_LINES);
        long seq = (before == null ? 0 : before) + skipped;
        List<Report.Line> kept = lines.subList(skipped, lines.size());
        PostgresQuery insert = tx.statements()
                .get(Sql.INSERT_LOG_LINES)
                .set(1, job)
                .set(2, seq)
                .set(3, report.hold().token());
        Columns<Report.Line> columns = new Columns<Report.Line>()
                .longs(line -> tx.clock.toServer(line.atMillis()))
                .texts(line -> line.level().name())
                .texts(Report.Line::message);
        insert.bind(4, columns, kept);
        insert.update();
        tx.wroteAbout(job);
        seq += kept.size();
        if (seq > JobStory.MAX_LOG_LINES) {
            tx.statements()
                    .get(Sql.TRIM_LOG)
                    .set(1, job)
                    .set(2, seq - JobStory.MAX_LOG_LINES)
                    .update();
        }
    }

    private static void event(
            PostgresTransaction tx, Report report, long atMillis, EventKind kind, @Nullable Object... detail) {
        tx.event(
                report.hold().id(),
                tx.clock.toServer(atMillis),
                kind,
                tx.actor(report.worker()),
                report.hold().token(),
                JsonText.object(detail));
    }

    private static @Nullable String shortened(@Nullable String message) {
        if (message == null || message.length() <= MAX_DETAIL) {
            return message;
        }
        int end = Character.isHighSurrogate(message.charAt(MAX_DETAIL - 1)) ? MAX_DETAIL - 1 : MAX_DETAIL;
        return message.substring(0, end);
    }
}
