package dev.windrow.store.sql.job;

import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.store.job.Report;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The holder's reports: progress, lines of its log, a stuck handler. Guarded by (id, RUNNING, token). */
public final class Reports {
    /** The most characters of a progress message in an event's detail, which must be short. */
    private static final int MAX_DETAIL = 200;

    private static final Columns<Line> LINES = new Columns<Line>()
            .longs(Line::number)
            .longs(Line::at)
            .texts(line -> line.of.level().name())
            .texts(line -> line.of.message());

    private record Line(long number, long at, Report.Line of) {}

    private Reports() {}

    /** Writes a report of a worker that is known to hold the job. */
    public static void report(WriteTransaction tx, Report report) throws SQLException {
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

    private static void progress(WriteTransaction tx, Report report, Report.Progress progress) throws SQLException {
        tx.statements()
                .get(Statement.WRITE_PROGRESS)
                .set(1, report.leaseToken().id())
                .set(2, report.leaseToken().token())
                .set(3, tx.storeTime(progress.atMillis()))
                .set(4, progress.fraction())
                .set(5, progress.message())
                .update();
        tx.wroteReport(report.leaseToken().id(), report.leaseToken().token());
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

    /** Appends the lines and removes the oldest ones above the maximum. The numbers of the remaining lines show how many there were. */
    private static void log(WriteTransaction tx, Report report) throws SQLException {
        long job = report.leaseToken().id();
        Long before = tx.statements().get(Statement.LAST_LOG_LINE).set(1, job).oneOrNull();
        List<Report.Line> lines = report.lines();
        int skipped = Math.max(0, lines.size() - JobHistory.MAX_LOG_LINES);
        long seq = (before == null ? 0 : before) + skipped;
        List<Line> kept = new ArrayList<>();
        for (Report.Line line : lines.subList(skipped, lines.size())) {
            kept.add(new Line(++seq, tx.storeTime(line.atMillis()), line));
        }
        tx.statements()
                .get(Statement.INSERT_LOG_LINES)
                .set(1, job)
                .set(2, report.leaseToken().token())
                .all(3, LINES, kept);
        tx.wroteReport(job, report.leaseToken().token());
        if (seq > JobHistory.MAX_LOG_LINES) {
            tx.statements()
                    .get(Statement.TRIM_LOG)
                    .set(1, job)
                    .set(2, seq - JobHistory.MAX_LOG_LINES)
                    .update();
        }
    }

    private static void event(
            WriteTransaction tx, Report report, long atMillis, EventKind kind, @Nullable Object... detail)
            throws SQLException {
        tx.event(
                report.leaseToken().id(),
                tx.storeTime(atMillis),
                kind,
                tx.actor(report.worker()),
                report.leaseToken().token(),
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
