package dev.windrow.tests.engine.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.Dedupe;
import dev.windrow.Enqueued;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.payload.Json;
import dev.windrow.retention.Cleanup;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.transfer.CopyRows;
import dev.windrow.store.transfer.CopySource;
import dev.windrow.store.transfer.CopyTable;
import dev.windrow.tests.Once;
import dev.windrow.tests.crash.Soak;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import dev.windrow.transfer.QueueCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A queue that is copied to another store is complete and continues there, in all four directions. */
@ParameterizedClass(name = "{0}")
@MethodSource("directions")
@Once
class CopyTest {
    enum Direction {
        FILE_TO_SERVER(StoreKind.SQLITE, StoreKind.POSTGRES),
        SERVER_TO_FILE(StoreKind.POSTGRES, StoreKind.SQLITE),
        FILE_TO_FILE(StoreKind.SQLITE, StoreKind.SQLITE),
        SERVER_TO_SERVER(StoreKind.POSTGRES, StoreKind.POSTGRES);

        private final StoreKind from;
        private final StoreKind to;

        Direction(StoreKind from, StoreKind to) {
            this.from = from;
            this.to = to;
        }
    }

    /** Returns the directions between the two kinds of store. In the long form, also those within one kind. */
    static List<Direction> directions() {
        return Soak.isOn() ? List.of(Direction.values()) : List.of(Direction.FILE_TO_SERVER, Direction.SERVER_TO_FILE);
    }

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** A type that no process has registered before. */
    private static final JobType<Json, Json> UNKNOWN = JobType.raw("copy.unknown");

    @Parameter
    Direction direction;

    @TempDir
    Path folder;

    private Target source;
    private Target target;
    private final Deque<Target> targets = new ArrayDeque<>();

    @BeforeEach
    void setUp() throws Exception {
        source = emptyTarget(direction.from, "source");
        target = emptyTarget(direction.to, "target");
    }

    @AfterEach
    void dropAll() throws Exception {
        while (!targets.isEmpty()) {
            targets.pop().close();
        }
    }

    private Target emptyTarget(StoreKind kind, String name) throws Exception {
        Target made = kind.emptyTarget(Files.createDirectory(folder.resolve(name)));
        targets.push(made);
        return made;
    }

    private Target newTarget(StoreKind kind, String name) throws Exception {
        Target made = kind.newTarget(Files.createDirectory(folder.resolve(name)));
        targets.push(made);
        return made;
    }

    private static QueueCopy.Report copy(Target from, Target to, UnaryOperator<QueueCopy> settings) {
        Store here = from.newStore();
        Store there = to.newStore();

        return settings.apply(QueueCopy.from(here).to(there)).run();
    }

    private QueueCopy.Report copy(UnaryOperator<QueueCopy> settings) {
        return copy(source, target, settings);
    }

    private QueueCopy.Report copy() {
        return copy(UnaryOperator.identity());
    }

    /** Reads all rows of all tables, as text. */
    private static Map<CopyTable, List<String>> dump(Target from) {
        Store store = from.newStore();
        try (CopySource rows = StoreProvider.copyPlace(store).copySource()) {
            Map<CopyTable, List<String>> all = new EnumMap<>(CopyTable.class);
            for (CopyTable table : CopyTable.values()) {
                List<String> texts = new ArrayList<>();
                try (CopyRows each = rows.rows(table, false)) {
                    @Nullable Object[] row;
                    while ((row = each.next()) != null) {
                        if (table == CopyTable.PERMITS) {
                            // Only the order of the positions counts. The end of this method adds it.
                            row[3] = null;
                        }
                        StringBuilder text = new StringBuilder();
                        for (@Nullable Object value : row) {
                            text.append(
                                            value instanceof byte[] bytes
                                                    ? "bytes " + java.util.Arrays.hashCode(bytes)
                                                    : value)
                                    .append('|');
                        }
                        texts.add(text.toString());
                    }
                }
                all.put(table, texts);
            }
            all.get(CopyTable.PERMITS).addAll(from.rows("SELECT job_id FROM windrow_permits ORDER BY position"));
            return all;
        }
    }

    private static List<String> failedChecks(Target of) {
        Store store = of.newStore();

        Diagnosis diagnosis = Windrow.diagnose(store, DiagnoseOptions.ALL);
        return diagnosis.checks().stream()
                // No worker runs that could reclaim the job of the killed worker.
                .filter(check -> !check.isOk() && !check.name().equals("leases"))
                .map(check -> check.name() + ": " + check.detail())
                .toList();
    }

    private static void assertSame(Map<CopyTable, List<String>> is, Map<CopyTable, List<String>> was) {
        was.forEach((table, rows) -> assertThat(is.get(table)).as("%s", table).isEqualTo(rows));
    }

    private static String state(Windrow windrow, JobRef<?> job) {
        return windrow.job(job).history().job().state().name();
    }

    @Test
    void theCopyHoldsEveryRowAndTheSourceStaysUnchanged() throws Exception {
        RichQueue queue = RichQueue.copy(source);
        target = newTarget(direction.to, "new");
        Map<CopyTable, List<String>> before = dump(source);
        before.forEach((table, rows) -> {
            if (table != CopyTable.RELEASES) {
                assertThat(rows).as("rows of %s to be copied", table).isNotEmpty();
            }
        });

        QueueCopy.Report report = copy();

        assertSame(dump(target), before);
        assertSame(dump(source), before);
        assertThat(failedChecks(target)).isEmpty();
        assertThat(report.sourceChanged()).isFalse();
        assertThat(report.jobs()).isEqualTo(before.get(CopyTable.JOBS).size());
        assertThat(report.events()).isEqualTo(before.get(CopyTable.EVENTS).size());
        assertThat(report.tables())
                .extracting(QueueCopy.TableReport::rows)
                .isEqualTo(before.entrySet().stream()
                        .map(rows -> (long) rows.getValue().size() / (rows.getKey() == CopyTable.PERMITS ? 2 : 1))
                        .toList());
        Set<String> states = new HashSet<>();
        try (Windrow here = Windrow.open(source.newStore());
                Windrow there = Windrow.open(target.newStore())) {
            for (long id = 1; id <= queue.killed.id(); id++) {
                JobHistory history = here.job(id).exists() ? here.job(id).history() : null;
                if (history != null && history.job().state() != JobState.RUNNING) {
                    states.add(history.job().state().name());
                    assertThat(there.job(id).history()).isEqualTo(history);
                }
            }
            assertThat(there.monitor().audit(AuditFilter.ALL).limit(100).page().entries())
                    .isEqualTo(here.monitor()
                            .audit(AuditFilter.ALL)
                            .limit(100)
                            .page()
                            .entries());
            assertThat(there.limits()).isEqualTo(here.limits());
            assertThat(there.schedules().runs("daily", 10))
                    .isEqualTo(here.schedules().runs("daily", 10));
        }
        assertThat(states).hasSize(6);
    }

    @Test
    void theTargetContinuesWhereTheSourceEnded() throws Exception {
        RichQueue queue = RichQueue.copy(source);
        copy(settings -> settings.closeSource());
        try (Windrow windrow = Windrow.open(target.newStore())) {
            long last = windrow.enqueue(RichQueue.LATE, RichQueue.INPUT).id();
            assertThat(last).as("an id that was never given").isGreaterThan(queue.killed.id());
            Enqueued<Json> again = windrow.enqueue(RichQueue.ECHO
                    .job(RichQueue.INPUT)
                    .withDedupe(Dedupe.key("for ever " + RichQueue.WORDS).forEver()));
            assertThat(again.deduplicated()).isTrue();
            assertThat(again).isEqualTo(queue.completed);
            assertThat(windrow.schedules().find("daily").orElseThrow().isPaused())
                    .isTrue();
            try (Worker worker = RichQueue.worker(windrow)
                    .handle(RichQueue.LATE, (input, job) -> input)
                    .lease(Duration.ofMillis(1500))
                    .start()) {
                assertThat(worker.name()).isNotEmpty();
                windrow.job(queue.parked).signal("paid", "in full");
                assertThat(windrow.await(queue.parked, PATIENCE)).isEqualTo(new Json("\"in full\""));
                windrow.await(queue.blocked, PATIENCE);
                windrow.await(queue.pending, PATIENCE);
                windrow.await(queue.sequenced, PATIENCE);
                windrow.await(queue.killed, PATIENCE);
                assertThat(windrow.job(queue.killed).history().attempts()).hasSize(2);
                windrow.job(queue.outside).complete(new Json("7"));
                windrow.job(queue.failed).retry();
                RichQueue.until(
                        () -> windrow.job(queue.failed).history().attempts().size() == 2
                                && state(windrow, queue.failed).equals("FAILED"));
                JobRef<Json> scheduled = windrow.schedules().run("daily");
                windrow.await(scheduled, PATIENCE);
                windrow.schedules().run("now-and-then");
                RichQueue.until(() -> windrow.monitor().statistics().states().getOrDefault(JobState.RUNNING, 0L) == 0);
            }
            assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.PENDING, 1L);
        }
        assertThat(failedChecks(target)).isEmpty();
    }

    @Test
    void copyingThereAndBackKeepsTheQueue() throws Exception {
        RichQueue.copy(source);
        Map<CopyTable, List<String>> before = dump(source);
        copy();
        Target back = emptyTarget(direction.from, "back");
        copy(target, back, UnaryOperator.identity());
        assertSame(dump(back), before);
        assertThat(failedChecks(back)).isEmpty();
    }

    /** An interrupt, an error and a kill leave the same state: the transactions up to some point. */
    @Test
    void anUnfinishedCopyIsRefusedAndCanBeResumed() throws Exception {
        RichQueue.copy(source);
        Map<CopyTable, List<String>> before = dump(source);
        for (int cut : Soak.isOn() ? new int[] {1, 4, 9, 20} : new int[] {4, 20}) {
            Target part = emptyTarget(direction.to, "part" + cut);
            int[] left = {cut};
            assertThatThrownBy(() -> copy(
                            source,
                            part,
                            settings -> settings.progress(step -> {
                                if (--left[0] == 0) {
                                    throw new IllegalStateException("cut short");
                                }
                            })))
                    .hasMessage("cut short");
            assertThatThrownBy(() -> Windrow.open(part.newStore()))
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageContaining("copy of")
                    .hasMessageContaining("not finished");
            assertThatThrownBy(() -> copy(source, part, UnaryOperator.identity()))
                    .isInstanceOf(IncompatibleStoreException.class)
                    .hasMessageContaining("copy --resume");
            copy(source, part, settings -> settings.resume());
            assertSame(dump(part), before);
            assertThat(failedChecks(part)).isEmpty();
        }
    }

    @Test
    void finishedJobsAreCopiedWhileWorkersRunAndTheRestFollows() throws Exception {
        RichQueue queue = RichQueue.copy(source);
        try (Windrow windrow = Windrow.open(source.newStore());
                Worker worker =
                        RichQueue.worker(windrow).lease(Duration.ofMillis(1500)).start()) {
            QueueCopy.Report first = copy(settings -> settings.finishedOnly());
            assertThat(first.jobs()).isPositive();
            assertThat(first.tables()).extracting(QueueCopy.TableReport::name).doesNotContain("edges", "dedupe");
            assertThat(first.tables())
                    .extracting(QueueCopy.TableReport::comparedBefore)
                    .containsOnly(0L);
            windrow.job(queue.parked).signal("paid", "meanwhile");
            windrow.await(queue.blocked, PATIENCE);
            windrow.await(queue.killed, PATIENCE);
            windrow.job(queue.failed).delete();
            QueueCopy.Report second = copy(settings -> settings.finishedOnly().resume());
            assertThat(second.jobs()).isGreaterThan(first.jobs());
            assertThat(comparedBefore(second, CopyTable.EVENTS)).isEqualTo(first.events());
            assertThat(comparedBefore(second, CopyTable.BLOB_CHUNKS)).isPositive();
            // The jobs are deleted from the source before the rest is copied, one of them with its blob.
            assertThat(windrow.retention()
                            .cleanup(Cleanup.BY_THE_RULES
                                    .withAge(JobState.COMPLETED, Duration.ZERO)
                                    .withType(RichQueue.ECHO.name()))
                            .total())
                    .isPositive();
            assertThatThrownBy(() -> copy(settings -> settings.resume()))
                    .isInstanceOf(WindrowException.class)
                    .hasMessageContaining("workers run on ")
                    .hasMessageContaining(worker.name());
        }
        Map<CopyTable, List<String>> before = dump(source);
        QueueCopy.Report rest = copy(settings -> settings.resume().closeSource());
        assertSame(dump(target), before);
        assertThat(failedChecks(target)).isEmpty();
        assertThat(comparedBefore(rest, CopyTable.EVENTS)).isBetween(1L, rest.events() - 1);
        assertThat(rest.events()).isEqualTo(before.get(CopyTable.EVENTS).size());
    }

    private static void loseEvents(Target from) {
        assertThat(
                        from.rows(
                                "DELETE FROM windrow_events WHERE job_id = (SELECT min(job_id) FROM windrow_events) RETURNING job_id"))
                .isNotEmpty();
    }

    private static long comparedBefore(QueueCopy.Report report, CopyTable table) {
        return report.tables().stream()
                .filter(each -> each.name().equals(table.table()))
                .mapToLong(QueueCopy.TableReport::comparedBefore)
                .sum();
    }

    /** An interrupted copy has left jobs without their rows. The next copy compares all rows and corrects the differences. */
    @Test
    void anInterruptedComparisonIsRepeated() throws Exception {
        RichQueue.copy(source);
        copy(settings -> settings.finishedOnly());
        int[] left = {6};
        assertThatThrownBy(() ->
                        copy(settings -> settings.finishedOnly().resume().progress(step -> {
                            if (--left[0] == 0) {
                                throw new IllegalStateException("cut short");
                            }
                        })))
                .hasMessage("cut short");
        // Simulates an interruption between two tables.
        loseEvents(target);
        QueueCopy.Report rest = copy(settings -> settings.resume());
        assertThat(rest.tables())
                .extracting(QueueCopy.TableReport::comparedBefore)
                .containsOnly(0L);
        assertSame(dump(target), dump(source));
        assertThat(failedChecks(target)).isEmpty();
    }

    @Test
    void aMissingRowAmongComparedRowsIsFound() throws Exception {
        RichQueue.copy(source);
        copy(settings -> settings.finishedOnly());
        loseEvents(target);
        assertThatThrownBy(() -> copy(settings -> settings.resume()))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("the copy of table events differs from its source")
                .hasMessageContaining("stays closed");
        // After that failure, no row counts as compared.
        copy(settings -> settings.resume());
        assertSame(dump(target), dump(source));
    }

    @Test
    void aClosedSourceRefusesOpenAndNewStoresUntilItIsReopened() throws Exception {
        RichQueue queue = RichQueue.copy(source);
        try (Windrow open = Windrow.open(source.newStore())) {
            copy(settings -> settings.closeSource());
            assertThatThrownBy(() -> open.enqueue(RichQueue.ECHO, RichQueue.INPUT))
                    .isInstanceOf(WindrowException.class)
                    .hasMessageContaining("closed")
                    .hasMessageContaining("moved");
            // Neither verb takes a number or writes a job.
            assertThatThrownBy(() -> open.job(queue.pending).signal("early", "too late"))
                    .isInstanceOf(WindrowException.class);
            assertThatThrownBy(() -> open.queue("another").pause("too late")).isInstanceOf(WindrowException.class);
        }
        assertThatThrownBy(() -> Windrow.open(source.newStore()))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("is closed: its queue was moved to ")
                .hasMessageContaining("reopen");
        assertThat(failedChecks(source))
                .first()
                .asString()
                .startsWith("schema: ")
                .contains("moved to");
        assertSame(dump(source), dump(target));
        Store store = source.newStore();

        assertThat(StoreProvider.copyPlace(store).reopen()).isTrue();
        assertThat(StoreProvider.copyPlace(store).reopen()).isFalse();

        try (Windrow windrow = Windrow.open(source.newStore())) {
            assertThat(windrow.enqueue(RichQueue.ECHO, RichQueue.INPUT).state()).isEqualTo(JobState.PENDING);
        }
        assertThat(failedChecks(source)).isEmpty();
    }

    @Test
    void aCopyThatWouldLoseOrMixJobsIsRefusedAndNothingIsWritten() throws Exception {
        try (Windrow windrow = Windrow.open(source.newStore())) {
            windrow.enqueue(RichQueue.ECHO, RichQueue.INPUT);
        }
        assertThatThrownBy(() -> copy(settings -> settings.resume())).hasMessageContaining("nothing to resume");
        assertThatThrownBy(() -> copy(settings -> settings.resume().closeSource()))
                .hasMessageContaining("nothing to resume");
        try (Windrow windrow = Windrow.open(source.newStore())) {
            assertThat(windrow.monitor().statistics().states())
                    .as("it is not closed")
                    .containsEntry(JobState.PENDING, 1L);
        }
        assertThatThrownBy(() -> copy(settings -> settings.finishedOnly().closeSource()))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> copy(source, source, UnaryOperator.identity()))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("same queue");
        Target nothing = newTarget(direction.from, "nothing");
        assertThatThrownBy(() -> copy(nothing, target, UnaryOperator.identity()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("no queue exists in ");

        Target used = emptyTarget(direction.to, "used");
        try (Windrow windrow = Windrow.open(used.newStore())) {
            windrow.enqueue(RichQueue.ECHO, RichQueue.INPUT);
        }
        Map<CopyTable, List<String>> before = dump(used);
        assertThatThrownBy(() -> copy(source, used, UnaryOperator.identity()))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("not empty");
        assertThatThrownBy(() -> copy(source, used, settings -> settings.resume()))
                .isInstanceOf(WindrowException.class);
        assertSame(dump(used), before);
        try (Windrow windrow = Windrow.open(target.newStore());
                Worker worker = RichQueue.worker(windrow).start()) {
            RichQueue.until(() -> !windrow.monitor().workers().isEmpty());
            assertThatThrownBy(this::copy).hasMessageContaining("target").hasMessageContaining(worker.name());
        }

        copy(settings -> settings.finishedOnly());
        Target other = emptyTarget(direction.from, "other");
        try (Windrow windrow = Windrow.open(other.newStore())) {
            windrow.enqueue(RichQueue.ECHO, RichQueue.INPUT);
        }
        assertThatThrownBy(() -> copy(other, target, settings -> settings.resume()))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("cannot continue it with a copy of ");
        assertThatThrownBy(() -> copy(target, other, UnaryOperator.identity()))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("not finished");
    }

    @Test
    void aForcedCopyReportsThatTheSourceChanged() throws Exception {
        RichQueue queue = RichQueue.copy(source);
        try (Windrow windrow = Windrow.open(source.newStore())) {
            boolean[] done = {false};
            QueueCopy.Report report = copy(settings -> settings.force().progress(step -> {
                if (!done[0]) {
                    done[0] = true;
                    windrow.enqueue(RichQueue.ECHO, RichQueue.INPUT);
                }
            }));
            assertThat(report.sourceChanged()).isTrue();
            assertThat(report.jobs()).isEqualTo(dump(source).get(CopyTable.JOBS).size() - 1);
        }
        assertThat(queue.killed.id()).isPositive();
    }

    /** Empties all tables except the tables of names, which an open store has cached by their numbers. Such a store counts as empty. */
    private void emptyButForNames(Target store) throws SQLException {
        List<String> tables = store.rows(
                store.isFile()
                        ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'windrow%'"
                        : "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()");
        tables = tables.stream()
                .filter(table -> !table.matches("windrow_(schema|ids|lanes|actors)"))
                .toList();
        try (Connection connection = store.connect();
                Statement statement = connection.createStatement()) {
            if (store.isFile()) {
                for (String table : tables) {
                    statement.execute("DELETE FROM " + table);
                }
            } else {
                statement.execute("TRUNCATE " + String.join(", ", tables));
            }
        }
    }

    @Test
    void duringACopyTheTargetRefusesWritesAndCannotBeOpened() throws Exception {
        try (Windrow windrow = Windrow.open(source.newStore())) {
            for (int i = 0; i < 3; i++) {
                windrow.enqueue(RichQueue.ECHO, RichQueue.INPUT);
            }
            windrow.enqueue(RichQueue.LATE, RichQueue.INPUT);
        }
        Map<CopyTable, List<String>> before = dump(source);
        try (Windrow open = Windrow.open(target.newStore())) {
            // LATE is the first lane here, and ECHO is the first lane of the source.
            JobRef<Json> gone = open.enqueue(RichQueue.LATE, RichQueue.INPUT);
            emptyButForNames(target);
            List<Throwable> refusals = new ArrayList<>();
            copy(settings -> settings.progress(step -> {
                refusals.add(catchThrowable(() -> open.enqueue(RichQueue.LATE, RichQueue.INPUT)));
                refusals.add(catchThrowable(() -> open.queue("default").pause("too early")));
                refusals.add(catchThrowable(() -> Windrow.open(target.newStore())));
            }));
            refusals.add(catchThrowable(() -> open.enqueue(RichQueue.LATE, RichQueue.INPUT)));
            refusals.add(catchThrowable(() -> open.enqueue(UNKNOWN, RichQueue.INPUT)));
            refusals.add(catchThrowable(() -> open.job(gone).cancel()));
            refusals.add(catchThrowable(() -> open.queue("default").pause("too late")));
            refusals.add(catchThrowable(() -> open.inTransaction(connection -> {
                open.on(connection).enqueue(RichQueue.LATE, RichQueue.INPUT);
                return true;
            })));
            assertThat(refusals)
                    .allSatisfy(refusal -> assertThat(refusal)
                            .isInstanceOfAny(IncompatibleStoreException.class, InvalidRequestException.class)
                            .hasMessageMatching("(?s).*(not finished|was copied |another queue is being copied ).*"));
            assertSame(dump(target), before);
        }
        assertThat(failedChecks(target)).isEmpty();
        assertSame(dump(target), before);
        try (Windrow windrow = Windrow.open(target.newStore())) {
            long id = windrow.enqueue(RichQueue.LATE, RichQueue.INPUT).id();
            assertThat(windrow.job(id).history().job().type()).isEqualTo(RichQueue.LATE.name());
        }
    }

    /** Either a job was acknowledged first and the copy is refused, or the copy was first and no job is acknowledged. */
    @Test
    void eitherAWriterOrTheBeginningCopyGetsTheTarget() throws Exception {
        try (Windrow windrow = Windrow.open(source.newStore())) {
            windrow.enqueue(RichQueue.ECHO, RichQueue.INPUT);
        }
        for (int round = 0; round < (Soak.isOn() ? 20 : 2); round++) {
            Target contested = emptyTarget(direction.to, "contested" + round);
            try (Windrow open = Windrow.open(contested.newStore())) {
                CountDownLatch go = new CountDownLatch(1);
                AtomicBoolean ended = new AtomicBoolean();
                List<Long> acknowledged = new ArrayList<>();
                Thread other = new Thread(() -> {
                    try {
                        go.await();
                        while (!ended.get()) {
                            acknowledged.add(open.enqueue(RichQueue.LATE, RichQueue.INPUT)
                                    .id());
                        }
                    } catch (InterruptedException | WindrowException e) {
                        ended.set(true);
                    }
                });
                other.start();
                boolean copies = round % 2 == 0;
                Throwable refusal = catchThrowable(() -> copy(source, contested, settings -> {
                    if (!copies) {
                        go.countDown();
                    }
                    return settings.progress(step -> go.countDown());
                }));
                go.countDown();
                ended.set(refusal != null);
                other.join();
                if (refusal == null) {
                    assertThat(acknowledged).isEmpty();
                    assertSame(dump(contested), dump(source));
                } else {
                    assertThat(refusal).hasMessageContaining("not empty");
                    assertThat(dump(contested).get(CopyTable.JOBS)).hasSize(acknowledged.size());
                }
            }
        }
    }

    @Test
    void theFirstOfTwoCopiesIntoOneTargetEnds() {
        try (Windrow windrow = Windrow.open(source.newStore())) {
            windrow.enqueue(RichQueue.ECHO, RichQueue.INPUT);
        }
        boolean[] done = {false};
        assertThatThrownBy(() -> copy(settings -> settings.progress(step -> {
                    if (!done[0]) {
                        done[0] = true;
                        copy(second -> second.resume());
                        try (Windrow windrow = Windrow.open(target.newStore())) {
                            windrow.enqueue(RichQueue.LATE, RichQueue.INPUT);
                        }
                    }
                })))
                .isInstanceOf(WindrowException.class)
                // When it looks again: before it writes, or when it reads what it has written.
                .hasMessageMatching("(?s).*(another copy continues|differs from its source).*");
        assertThat(dump(target).get(CopyTable.JOBS)).hasSize(2);
        assertThat(failedChecks(target)).isEmpty();
    }

    @Test
    void aQueueIsMovedToOneTargetOnly() throws Exception {
        try (Windrow windrow = Windrow.open(source.newStore())) {
            windrow.enqueue(RichQueue.ECHO, RichQueue.INPUT);
        }
        int[] left = {3};
        assertThatThrownBy(() -> copy(settings -> settings.closeSource().progress(step -> {
                    if (--left[0] == 0) {
                        throw new IllegalStateException("cut short");
                    }
                })))
                .hasMessage("cut short");
        copy(settings -> settings.closeSource().resume());
        Target other = emptyTarget(direction.to, "other");
        Store here = source.newStore();
        Store there = target.newStore();
        Store elsewhere = other.newStore();

        assertThat(StoreProvider.copyPlace(here).movedTo()).contains(there.location());
        assertThat(StoreProvider.copyPlace(there).movedTo()).isEmpty();
        assertThat(StoreProvider.copyPlace(elsewhere).movedTo()).isEmpty();
        assertThatThrownBy(() -> copy(source, other, settings -> settings.closeSource()))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining(there.location() + " already")
                .hasMessageContaining(elsewhere.location())
                .hasMessageContaining("reopen");
        assertThatThrownBy(() -> StoreProvider.copyPlace(here).shut(elsewhere.location()))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining(there.location());
        StoreProvider.copyPlace(here).shut(there.location());
        assertThat(StoreProvider.copyPlace(here).movedTo()).contains(there.location());
        // A copy that does not close the source is allowed.
        copy(source, other, UnaryOperator.identity());
        assertSame(dump(other), dump(source));
        assertThat(StoreProvider.copyPlace(here).reopen()).isTrue();
        assertThat(StoreProvider.copyPlace(here).movedTo()).isEmpty();
        Target third = emptyTarget(direction.to, "third");
        copy(source, third, settings -> settings.closeSource());
        Store place = third.newStore();

        assertThat(StoreProvider.copyPlace(here).movedTo()).contains(place.location());
    }

    /** Code without knowledge of the moved marker, such as an older version, is stopped by the triggers alone. */
    @Test
    void aClosedSourceRefusesEveryWrite() throws Exception {
        RichQueue.copy(source);
        copy(settings -> settings.closeSource());
        try (Connection connection = source.connect();
                Statement statement = connection.createStatement()) {
            for (CopyTable table : CopyTable.values()) {
                String name = "windrow_" + table.table();
                // A statement may not name a column that the server numbers itself.
                List<CopyTable.Column> columns = table.columns();
                String column = columns.get(table == CopyTable.JOBS ? 1 : columns.size() - 1)
                        .name();
                if (table != CopyTable.RELEASES) {
                    assertThatThrownBy(() -> statement.execute("DELETE FROM " + name))
                            .as("%s", table)
                            .hasMessageContaining("closed");
                    assertThatThrownBy(() -> statement.execute("UPDATE %s SET %s = %s".formatted(name, column, column)))
                            .as("%s", table)
                            .hasMessageContaining("closed");
                    assertThatThrownBy(() -> statement.execute("INSERT INTO %s %s SELECT * FROM %s"
                                    .formatted(name, source.isFile() ? "" : "OVERRIDING SYSTEM VALUE", name)))
                            .as("%s", table)
                            .hasMessageContaining("closed");
                }
            }
        }
    }

    /** Every table of both stores is copied with all columns, or excluded for the reason beside it. */
    @Test
    void everyTableAndColumnIsCopied() {
        try (Windrow windrow = Windrow.open(target.newStore())) {
            assertThat(windrow.monitor().statistics().states()).isNotNull();
        }
        Set<String> leftOut = target.isFile()
                ? Set.of(
                        // The migrations of the file. Its numbers are raised beyond the numbers of the source.
                        "schema.version",
                        "schema.min_compatible",
                        "schema.name",
                        "schema.applied_at",
                        "ids.one",
                        "ids.next",
                        "ids.last_stamp",
                        "ids.lanes_deleted",
                        "ids.superseded",
                        // A number without a meaning. The payload is copied with the job.
                        "attempt_texts.id",
                        "payloads.job_id")
                : Set.of(
                        "schema.version",
                        "schema.min_compatible",
                        "schema.name",
                        "schema.applied_at",
                        // Set when the lane is written.
                        "lanes.used_at",
                        "schema.store",
                        // The start of the count. The target finds it again.
                        "limits.running_since",
                        // Copied with the job, and with the counters.
                        "inputs.job_id",
                        "inputs.lane",
                        "counter_deltas.lane",
                        "counter_deltas.attempt",
                        "counter_deltas.n",
                        "counter_deltas.state",
                        "failure_deltas.error_code",
                        "failure_deltas.n",
                        "failure_deltas.first_at",
                        "failure_deltas.last_at");
        Set<String> columns = new TreeSet<>(target.rows(target.isFile() ? """
                  SELECT substr(t.name, 9) || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
                   WHERE t.type = 'table' AND t.name LIKE 'windrow%'
                  """ : """
                  SELECT substr(table_name, 9) || '.' || column_name FROM information_schema.columns
                   WHERE table_schema = current_schema() AND table_name NOT LIKE '%_view'
                  """));
        Set<String> copied = new TreeSet<>();
        for (CopyTable table : CopyTable.values()) {
            for (CopyTable.Column column : table.columns()) {
                String name = column.name();
                boolean payload = table == CopyTable.JOBS && name.equals("payload");
                String own = table.table() + "." + name;
                copied.add(
                        columns.contains(own)
                                ? own
                                : payload && target.isFile() ? "payloads.payload" : "inputs." + name);
            }
        }
        // Workers and leaders of background tasks belong to the processes of the source.
        columns.removeIf(column -> column.startsWith("workers.") || column.startsWith("leaders."));
        assertThat(columns).containsAll(leftOut);
        columns.removeAll(leftOut);
        assertThat(copied).as("columns that are copied, in CopyTable").isEqualTo(columns);
    }
}
