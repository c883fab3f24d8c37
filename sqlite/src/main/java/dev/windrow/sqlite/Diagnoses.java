package dev.windrow.sqlite;

import dev.windrow.Diagnosis;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.store.CheckBudget;
import dev.windrow.store.DiagnoseRequest;
import dev.windrow.store.InUse;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.DataChecks;
import dev.windrow.store.sql.Finding;
import dev.windrow.store.sql.Findings;
import dev.windrow.store.sql.Mark;
import dev.windrow.store.sql.PlanChecks;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.sqlite.ProgressHandler;

/**
 * Examines a file on a thread and a connection of its own that may not write, for as long as that takes or may. Each check is a read
 * transaction of its own: the log can be written back and cut in between, and no writer ever waits.
 */
final class Diagnoses implements AutoCloseable {
    /** How long a close waits for an examination that it has interrupted. */
    private static final long PATIENCE_SECONDS = 5;

    private static final Logger log = SafeLogger.of(Diagnoses.class);

    private final SqliteFile file;
    private final FileChecks around;
    private final ThreadPoolExecutor thread;
    /** What is being examined, or was last. */
    private volatile @Nullable InUse<SqliteFile.Opened> current;

    private volatile boolean closed;

    Diagnoses(SqliteFile file, Duration operationTimeout) {
        this.file = file;
        this.around = new FileChecks(file.path(), operationTimeout);
        this.thread = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread made = new Thread(task, "windrow-doctor-" + file.path().getFileName());
            made.setDaemon(true);
            return made;
        });
        thread.allowCoreThreadTimeOut(true);
    }

    Diagnosis diagnose(DiagnoseRequest request) {
        Future<Diagnosis> future;
        InUse<SqliteFile.Opened> used = new InUse<>(SqliteFile.Opened::interrupt);
        try {
            future = thread.submit(() -> examine(request, used));
        } catch (RejectedExecutionException e) {
            throw new StoreUnavailableException("examining " + file.path() + " failed: the store is closed", e);
        }
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            used.stop();
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("examining " + file.path() + " was interrupted", e);
        } catch (CancellationException e) {
            throw new StoreUnavailableException("examining " + file.path() + " failed: the store is closed", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WindrowException cause) {
                throw cause;
            }
            throw new WindrowException("examining " + file.path() + " failed: " + e.getCause(), e.getCause());
        }
    }

    private Diagnosis examine(DiagnoseRequest request, InUse<SqliteFile.Opened> used) {
        current = used;
        if (!Files.exists(file.path())) {
            throw new StoreUnavailableException("examining %s failed: there is no such file".formatted(file.path()));
        }
        file.checkReadable("examining " + file.path());
        Copies.check(file.realPath());
        SqliteFile.Opened opened = null;
        try {
            opened = file.openExaminer();
            if (!used.begin(opened)) {
                throw new StoreUnavailableException("examining " + file.path() + " was interrupted");
            }
            Diagnosis diagnosis = new Examination(opened, new SqliteStatements(opened.connection()), request).run();
            opened.requireUnchanged();
            return diagnosis;
        } catch (SQLException e) {
            if (opened != null) {
                opened.requireUnchanged();
            }
            throw SqliteErrors.translate(e, "examining " + file.path());
        } finally {
            used.end();
            close(opened);
        }
    }

    /** The connection closes its statements; one that failed repeats its error then. */
    private static void close(SqliteFile.@Nullable Opened opened) {
        if (opened != null) {
            try {
                opened.close();
            } catch (SQLException e) {
                log.debug("Closing what was examined: {}", e.getMessage());
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        // Those that have not begun are answered as well.
        for (Runnable waiting : thread.shutdownNow()) {
            if (waiting instanceof Future<?> future) {
                future.cancel(false);
            }
        }
        InUse<SqliteFile.Opened> used = current;
        if (used != null) {
            used.stop();
        }
        try {
            if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                log.warn("An examination has not ended within {} s; it is left behind", PATIENCE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One look. */
    private interface Look {
        Finding look() throws SQLException, IOException;
    }

    /** One look at everything; what it finds before it is stopped counts. */
    private interface LongLook {
        Finding look(Findings findings) throws SQLException, IOException;
    }

    /** The checks that read everything of what they check. */
    private static final List<String> LONG =
            List.of("integrity", "foreign-keys", "orphans", "counters", "edges", "states", "attempts");

    /** How many steps SQLite's machine makes between two looks at the clock: a small part of a millisecond, unless it waits for the disk. */
    private static final int STEPS = 256;

    /** One examination. */
    private final class Examination {
        private final SqliteFile.Opened database;
        private final SqliteStatements statements;
        private final DiagnoseRequest request;
        private final CheckBudget budget;
        private final List<Diagnosis.Check> checks = new ArrayList<>();
        private List<Diagnosis.Query> queries = List.of();
        /** How many of the checks that read everything are still to come. */
        private int longOnes;
        /** Why the tables cannot be read, or null. */
        private @Nullable String unreadable;
        /** Whether the file is no database at all. */
        private boolean foreign;

        Examination(SqliteFile.Opened database, SqliteStatements statements, DiagnoseRequest request) {
            this.database = database;
            this.statements = statements;
            this.request = request;
            this.budget = new CheckBudget(request.time(), request.budget());
            this.longOnes = (int) LONG.stream().filter(request::wants).count();
        }

        /** What takes a moment first: what the log and the leases were like when nobody was reading everything. */
        Diagnosis run() throws SQLException {
            // Also what comes between two statements ends the next one.
            ProgressHandler.setHandler(database.connection(), STEPS, new ProgressHandler() {
                @Override
                protected int progress() {
                    return closed || Thread.currentThread().isInterrupted() || budget.isOver() ? 1 : 0;
                }
            });
            try {
                return examined();
            } finally {
                ProgressHandler.clearHandler(database.connection());
            }
        }

        private Diagnosis examined() {
            check("schema", this::schema);
            if (foreign) {
                return new Diagnosis(checks, queries, budget.spent()); // nothing else can be said of it
            }
            check("settings", () -> FileChecks.settings(database, file.settings()));
            check("write-ahead-log", around::log);
            check("disk-space", () -> file.isWritable() ? around.space() : FileChecks.READ_ONLY_SPACE);
            check("write-lock", () -> file.isWritable() ? around.writeLock(database) : FileChecks.READ_ONLY);
            ofTables("plans", this::plans);
            ofTables("leases", () -> {
                long now = now();
                return snapshot(() -> DataChecks.leases(statements, now));
            });
            ofTables("queues", () -> snapshot(() -> DataChecks.queues(statements, now())));
            ofTables("handlers", () -> snapshot(() -> DataChecks.handlers(statements, now())));
            ofTables("stuck-slots", () -> snapshot(() -> DataChecks.stuckSlots(statements, now())));
            ofTables("schedules", () -> {
                long now = now();
                return snapshot(() -> DataChecks.schedules(statements, new Findings(), now));
            });
            ofAll("integrity", this::integrity);
            ofAllTables("foreign-keys", findings -> TableChecks.foreignKeys(statements, findings));
            ofAllTables("orphans", findings -> DataChecks.orphans(statements, findings));
            ofAllTables("counters", findings -> TableChecks.counters(statements, findings));
            ofAllTables("edges", findings -> DataChecks.edges(statements, findings));
            ofAllTables("states", findings -> DataChecks.states(statements, findings));
            ofTables("controls", () -> snapshot(() -> DataChecks.controls(statements)));
            ofAllTables("attempts", findings -> DataChecks.attempts(statements, findings));
            return new Diagnosis(checks, queries, budget.spent());
        }

        private Finding plans() throws SQLException, IOException {
            PlanChecks plans =
                    new PlanChecks(new Plans(database, statements, budget), statements, budget, request.time());
            Finding finding = snapshot(() -> plans.plans(OperationalQueries.ALL, now()));
            queries = plans.queries();
            return finding;
        }

        private long now() {
            return request.time().now().toEpochMilli();
        }

        private Finding schema() throws SQLException {
            unreadable = "the schema could not be read";
            int version;
            try {
                // KiB when negative: 64 MiB. The first statement that reads the file.
                database.execute("PRAGMA cache_size = -65536");
                version = Migrations.version(database);
            } catch (SQLException e) {
                foreign = SqliteErrors.isNoDatabase(e);
                if (foreign) {
                    return Finding.failed(
                            file.path()
                                    + " is not a SQLite database: it does not begin as one does, or is encrypted; nothing was changed");
                }
                throw e;
            }
            Mark mark = version == Mark.VERSION ? Migrations.mark(database) : null;
            if (version == 0) {
                unreadable = "the file has no schema of Windrow";
            } else if (mark != null) {
                unreadable = mark.explanation(file.path().toString());
            } else if (version < Migrations.CURRENT) {
                unreadable =
                        "the file has schema %d; this program knows %d, and migrates it when a worker or a command that changes something opens it"
                                .formatted(version, Migrations.CURRENT);
            } else if (Migrations.minCompatible(database) > Migrations.CURRENT) {
                unreadable = "the file has schema %d, which needs a newer Windrow: this one knows schema %d"
                        .formatted(version, Migrations.CURRENT);
            } else {
                unreadable = null;
            }
            if (unreadable != null) {
                return Finding.failed(unreadable);
            }
            return version == Migrations.CURRENT
                    ? Finding.ok("schema %d, which is current".formatted(version))
                    : Finding.note("schema %d, newer than this program's %d and compatible with it"
                            .formatted(version, Migrations.CURRENT));
        }

        private Finding integrity(Findings findings) throws SQLException, IOException {
            Finding finding = snapshot(() -> TableChecks.integrity(statements, findings, request.quick()));
            boolean whole = finding.result() == Diagnosis.Result.OK;
            return whole && (database.isUnchanging() || !Files.isWritable(file.path()))
                    ? Finding.note(
                            finding.detail()
                                    + "; rows were not compared with their constraints: SQLite does that only for those who may write the file")
                    : finding;
        }

        private void ofTables(String name, Look look) {
            if (!isRefused(name)) {
                check(name, look);
            }
        }

        private void ofAllTables(String name, LongLook look) {
            if (!isRefused(name)) {
                ofAll(name, findings -> snapshot(() -> look.look(findings)));
            }
        }

        private boolean isRefused(String name) {
            if (unreadable == null) {
                return false;
            }
            checks.add(new Diagnosis.Check(name, Diagnosis.Result.FAILED, "not checked: " + unreadable));
            return true;
        }

        private void check(String name, Look look) {
            if (request.wants(name)) {
                budget.begin();
                add(name, look, new Findings());
            }
        }

        /** Within its share of the time that is left. */
        private void ofAll(String name, LongLook look) {
            if (request.wants(name)) {
                budget.beginShare(longOnes--);
                Findings findings = new Findings();
                add(
                        name,
                        () -> budget.isOver()
                                ? Finding.unfinished(findings, budget.unfinished(false))
                                : look.look(findings),
                        findings);
            }
        }

        /** What is in a damaged file may be anything, and surprise any code: that, too, is a check that failed. */
        private void add(String name, Look look, Findings findings) {
            goOn();
            request.begins().accept(name);
            Finding finding;
            try {
                finding = look.look();
            } catch (SQLException | IOException | RuntimeException e) {
                goOn();
                log.debug("The check {} of {} could not be made", name, file.path(), e);
                finding = budget.isOver() && SqliteErrors.isInterrupt(e)
                        ? unfinished(findings)
                        : Finding.failed("could not be checked: " + e.getMessage());
            } finally {
                budget.end();
            }
            checks.add(new Diagnosis.Check(name, finding.result(), finding.detail(), finding.finished()));
        }

        /** The statement that was stopped is not used again: the driver may have closed it. */
        private Finding unfinished(Findings findings) {
            statements.forget();
            return Finding.unfinished(findings, budget.unfinished(true));
        }

        private void goOn() {
            if (closed || Thread.currentThread().isInterrupted()) {
                throw new StoreUnavailableException("examining " + file.path() + " was interrupted");
            }
        }

        private Finding snapshot(Look look) throws SQLException, IOException {
            statements.run(Sql.BEGIN_READ);
            boolean done = false;
            try {
                Finding finding = look.look();
                done = true;
                return finding;
            } finally {
                if (done) {
                    statements.run(Sql.COMMIT);
                } else {
                    rollback();
                }
            }
        }

        /** After some errors SQLite has done so by itself. */
        private void rollback() {
            try {
                statements.run(Sql.ROLLBACK);
            } catch (SQLException e) {
                log.debug("Ending a read that has failed: {}", e.getMessage());
            }
        }
    }
}
