package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.JobStory;
import dev.windrow.store.Report;
import java.sql.PreparedStatement;
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
    static boolean report(WriteTransaction tx, Report report) throws SQLException {
        PreparedStatement held = tx.statements.get(Sql.STILL_HELD);
        held.setLong(1, report.hold().id());
        held.setLong(2, report.hold().token());
        if (Rows.oneOrNull(held) == null) {
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

    private static void progress(WriteTransaction tx, Report report, Report.Progress progress) throws SQLException {
        PreparedStatement write = tx.statements.get(Sql.WRITE_PROGRESS);
        write.setLong(1, report.hold().id());
        write.setLong(2, report.hold().token());
        write.setLong(3, progress.atMillis());
        write.setObject(4, progress.fraction());
        write.setString(5, progress.message());
        write.executeUpdate();
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
    private static void log(WriteTransaction tx, Report report) throws SQLException {
        long job = report.hold().id();
        PreparedStatement last = tx.statements.get(Sql.LAST_LOG_LINE);
        last.setLong(1, job);
        Long before = Rows.oneOrNull(last);
        long seq = before == null ? 0 : before;
        List<Report.Line> lines = report.lines();
        int skipped = Math.max(0, lines.size() - JobStory.MAX_LOG_LINES);
        seq += skipped;
        PreparedStatement insert = tx.statements.get(Sql.INSERT_LOG_LINE);
        for (Report.Line line : lines.subList(skipped, lines.size())) {
            insert.setLong(1, job);
            insert.setLong(2, ++seq);
            insert.setLong(3, line.atMillis());
            insert.setLong(4, report.hold().token());
            insert.setString(5, line.level().name());
            insert.setString(6, line.message());
            insert.addBatch();
        }
        insert.executeBatch();
        if (seq > JobStory.MAX_LOG_LINES) {
            PreparedStatement trim = tx.statements.get(Sql.TRIM_LOG);
            trim.setLong(1, job);
            trim.setLong(2, seq - JobStory.MAX_LOG_LINES);
            trim.executeUpdate();
        }
    }

    private static void event(
            WriteTransaction tx, Report report, long atMillis, EventKind kind, @Nullable Object... detail)
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
