package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.JobStory;
import dev.windrow.store.Report;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Query;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The holder's verb report: progress, lines of its log, a handler that is stuck. Guarded by (id, RUNNING, token). */
final class Reports {
    /** The most characters of a progress message in an event's detail, which is short. */
    private static final int MAX_DETAIL = 200;

    private Reports() {}

    /** Event numbers that a report needs at most. */
    static int ids(int reports) {
        return 2 * reports;
    }

    /** Writes what is reported; false, and nothing, if the holder has lost the job. */
    static boolean report(SqliteTransaction tx, Report report) throws SQLException {
        if (tx.statements()
                        .get(Sql.STILL_HELD)
                        .set(1, report.hold().id())
                        .set(2, report.hold().token())
                        .oneOrNull()
                == null) {
            return false;
        }
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
        return true;
    }

    private static void progress(SqliteTransaction tx, Report report, Report.Progress progress) throws SQLException {
        tx.statements()
                .get(Sql.WRITE_PROGRESS)
                .set(1, report.hold().id())
                .set(2, report.hold().token())
                .set(3, progress.atMillis())
                .set(4, progress.fraction())
                .set(5, progress.message())
                .update();
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
    private static void log(SqliteTransaction tx, Report report) throws SQLException {
        long job = report.hold().id();
        Long before = tx.statements().get(Sql.LAST_LOG_LINE).set(1, job).oneOrNull();
        long seq = before == null ? 0 : before;
        List<Report.Line> lines = report.lines();
        int skipped = Math.max(0, lines.size() - JobStory.MAX_LOG_LINES);
        seq += skipped;
        Query insert = tx.statements().get(Sql.INSERT_LOG_LINE);
        for (Report.Line line : lines.subList(skipped, lines.size())) {
            insert.set(1, job)
                    .set(2, ++seq)
                    .set(3, line.atMillis())
                    .set(4, report.hold().token())
                    .set(5, line.level().name())
                    .set(6, line.message())
                    .add();
        }
        insert.batch();
        if (seq > JobStory.MAX_LOG_LINES) {
            tx.statements()
                    .get(Sql.TRIM_LOG)
                    .set(1, job)
                    .set(2, seq - JobStory.MAX_LOG_LINES)
                    .update();
        }
    }

    private static void event(
            SqliteTransaction tx, Report report, long atMillis, EventKind kind, @Nullable Object... detail)
            throws SQLException {
        tx.event(
                report.hold().id(),
                atMillis,
                kind,
                tx.names.actor(report.worker()),
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
