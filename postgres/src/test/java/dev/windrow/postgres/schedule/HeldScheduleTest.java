package dev.windrow.postgres.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.store.schedule.DueRuns;
import dev.windrow.store.schedule.Fire;
import dev.windrow.store.schedule.FireResult;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.schedule.Timing;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Schedules while a caller's transaction that changes one of them stays open. */
class HeldScheduleTest {
    private static final Timing EACH_MINUTE = new Timing(null, null, 60_000L, null);

    private final PostgresServer server = PostgresServer.shared();
    private final ManualTime time = new ManualTime();
    private StoreDriver store;
    private Connection caller;

    @BeforeEach
    void twoAreDueAndACallerPausesOne() throws SQLException {
        store = new StoreDriver(
                PostgresStore.configure(server.url()).schema(server.newSchema()).build(), time);
        for (String name : List.of("free", "held")) {
            StoreDriver.answer(store.store()
                    .submit(change(
                            ScheduleChange.Verb.SCHEDULE,
                            name,
                            new ScheduleRow.Definition(
                                    name, NewRow.job().row(), EACH_MINUTE, Misfire.ONCE, Overlap.ALLOW))));
        }
        time.advance(Duration.ofMinutes(1));
        caller = server.dataSource().getConnection();
        caller.setAutoCommit(false);
        store.store().apply(caller, change(ScheduleChange.Verb.PAUSE, "held", null));
    }

    @AfterEach
    void close() throws SQLException {
        caller.close();
        store.close();
    }

    private static ScheduleChange change(
            ScheduleChange.Verb verb, String name, ScheduleRow.@Nullable Definition definition) {
        return new ScheduleChange(verb, name, "anna", definition, null);
    }

    /** Runs both schedules as a process finds them that reads them now. */
    private FireResult fire() {
        return StoreDriver.answer(store.store()
                .submit(new Fire(Stream.of("free", "held")
                        .map(name -> store.store().schedule(name).orElseThrow())
                        .filter(row -> row.nextAtMillis() != null && row.nextAtMillis() <= time.millis())
                        .map(row -> new DueRuns(
                                row,
                                List.of(Objects.requireNonNull(row.nextAtMillis())),
                                null,
                                row.timing().next(time.millis()),
                                false))
                        .toList())));
    }

    private int jobs() {
        return store.store().list(JobFilter.ALL, Long.MAX_VALUE, 100).jobs().size();
    }

    @Test
    void otherSchedulesRunWithoutWaitingForALockedOne() throws SQLException {
        assertThat(fire()).isEqualTo(new FireResult(1, 1));
        assertThat(jobs()).isEqualTo(1);
        assertThat(fire()).as("the one that is held, again").isEqualTo(new FireResult(0, 0));
        caller.commit();
        assertThat(fire()).as("it is paused now").isEqualTo(new FireResult(0, 0));
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void aLockedScheduleRunsAfterARollback() throws SQLException {
        assertThat(fire()).isEqualTo(new FireResult(1, 1));
        caller.rollback();
        assertThat(fire()).isEqualTo(new FireResult(1, 1));
        assertThat(jobs()).isEqualTo(2);
    }
}
