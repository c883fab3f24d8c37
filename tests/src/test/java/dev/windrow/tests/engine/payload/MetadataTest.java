package dev.windrow.tests.engine.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.ChainRef;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobMatches;
import dev.windrow.query.PayloadMatch;
import dev.windrow.schedule.Schedule;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Metadata of jobs, as applications and handlers use them. */
@OnEachStore
class MetadataTest extends EngineTest {
    private static final Metadata ORDER = Metadata.parse("{ \"customer\": 42, \"description\": \"Order 7\" }");

    private JobRef<Json> enqueue() {
        return windrow.enqueue(ECHO.job(new Json("1")).withMetadata(ORDER));
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aJobKeepsTheTextOfItsMetadata() {
        JobRef<Json> job = enqueue();
        assertThat(windrow.job(job).info().metadata()).isEqualTo(ORDER);
        assertThat(windrow.job(job).history().job().metadata()).isEqualTo(ORDER);
        JobRef<Json> without = windrow.enqueue(ECHO.job(new Json("1")));
        assertThat(windrow.job(without).info().metadata()).isEqualTo(Metadata.none());
    }

    @Test
    void aHandlerReadsAndChangesTheMetadataOfItsJob() throws Exception {
        CompletableFuture<Metadata> read = new CompletableFuture<>();
        closing(windrow.worker()
                .handle(ECHO, (input, job) -> {
                    read.complete(job.metadata());
                    job.mergeMetadata(Metadata.parse("{\"description\":null,\"carrier\":\"DHL\"}"));
                    assertThat(job.metadata().json()).isEqualTo("{\"customer\":42,\"carrier\":\"DHL\"}");
                    return input;
                })
                .start());
        JobRef<Json> job = enqueue();
        windrow.await(job, PATIENCE);
        assertThat(read.get()).isEqualTo(ORDER);
        assertThat(windrow.job(job).info().metadata().text("carrier")).contains("DHL");
        assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(10).page().entries())
                .isEmpty();
    }

    @Test
    void aHandlerThatHasLostItsJobChangesNothing() throws Exception {
        CompletableFuture<@Nullable Throwable> thrown = new CompletableFuture<>();
        closing(windrow.worker()
                .handle(ECHO, (input, job) -> {
                    windrow.job(job.id()).complete();
                    try {
                        job.mergeMetadata(Metadata.none().with("late", true));
                        thrown.complete(null);
                    } catch (TransitionRefusedException e) {
                        thrown.complete(e);
                    }
                    return input;
                })
                .start());
        JobRef<Json> job = enqueue();
        assertThat(thrown.get()).hasMessageContaining("not held by this attempt");
        assertThat(windrow.job(job).info().metadata()).isEqualTo(ORDER);
    }

    @Test
    void metadataAreKeptByARetryAndChangedAfterTheEnd() {
        JobRef<Json> job = enqueue();
        windrow.job(job).cancel();
        windrow.as("anna").job(job).mergeMetadata(Metadata.none().with("customer", 43));
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.CANCELLED);
        assertThat(windrow.monitor()
                        .audit(AuditFilter.ALL)
                        .limit(1)
                        .page()
                        .entries()
                        .get(0)
                        .actor())
                .isEqualTo("anna");
        windrow.job(job).retry();
        assertThat(windrow.job(job).info().metadata().text("customer")).contains("43");
        assertThatThrownBy(() -> windrow.job(4711).mergeMetadata(ORDER)).isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void aChangeBelongsToTheTransactionOfTheCaller() throws Exception {
        JobRef<Json> job = enqueue();
        assertThatThrownBy(() -> windrow.inTransaction((Connection connection) -> {
                    windrow.on(connection)
                            .job(job)
                            .mergeMetadata(Metadata.none().with("a", 1));
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
        assertThat(windrow.job(job).info().metadata()).isEqualTo(ORDER);
        windrow.<@Nullable Object, RuntimeException>inTransaction(connection -> {
            windrow.on(connection).job(job).mergeMetadata(Metadata.none().with("a", 1));
            return null;
        });
        assertThat(windrow.job(job).info().metadata().text("a")).contains("1");
    }

    @Test
    void aChainCarriesTheMetadataThatItsHandlersPassOn() {
        closing(windrow.worker()
                .handle(ECHO, (input, job) -> {
                    if (input.text().equals("1")) {
                        job.continueWith(ECHO.job(new Json("2")).withMetadata(job.metadata()));
                    }
                    return input;
                })
                .start());
        JobRef<Json> job = enqueue();
        windrow.awaitChain(ChainRef.raw(job.id()), PATIENCE);
        assertThat(windrow.job(job).chain().jobs())
                .extracting(JobInfo::metadata)
                .containsExactly(ORDER, ORDER);
    }

    @Test
    void theJobsOfAScheduleHaveItsMetadata() {
        windrow.schedules()
                .save(Schedule.every(
                        "s", Duration.ofDays(1), ECHO.job(new Json("1")).withMetadata(ORDER)));
        JobRef<?> job = windrow.schedules().run("s");
        assertThat(windrow.job(job).info().metadata()).isEqualTo(ORDER);
    }

    @Test
    void jobsAreFoundByTheirMetadata() {
        JobRef<Json> job = enqueue();
        windrow.enqueue(ECHO.job(new Json("{\"customer\":42}")));
        windrow.enqueue(ECHO.job(new Json("1")).withMetadata(Metadata.none().with("customer", "42")));
        JobMatches found = windrow.jobs(JobFilter.ALL.withType(ECHO))
                .newestFirst()
                .searchMetadata(PayloadMatch.equalTo("$.customer", 42));
        assertThat(found.jobs()).extracting(JobInfo::id).containsExactly(job.id());
        assertThat(found.looked()).isEqualTo(3);
        assertThat(found.skipped()).isZero();
        assertThat(found.next()).isNull();
        JobMatches part = windrow.jobs(JobFilter.ALL.withType(ECHO))
                .newestFirst()
                .searchMetadata(PayloadMatch.exists("$.customer"), 1);
        assertThat(part.jobs()).hasSize(1);
        assertThat(part.next()).isNotNull();
        assertThatThrownBy(() -> windrow.jobs(JobFilter.ALL).newestFirst().searchMetadata(PayloadMatch.exists("$.a")))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("also needs a filter");
    }

    @Test
    void aJobRunsAlthoughItsLoggedMetadataCannotBeRead() throws SQLException {
        Windrow logged =
                closing(Windrow.configure(newStore()).metadataInLogs("customer").open());
        JobRef<Json> job = enqueue();
        execute("UPDATE windrow_metadata SET metadata = 'damaged'");
        closing(logged.worker().handle(ECHO, (input, context) -> input).start());
        assertThat(logged.await(job, PATIENCE)).isEqualTo(new Json("1"));
        execute("DELETE FROM windrow_metadata");
    }

    @Test
    void wrongNamesForLogsAreRefused() {
        Windrow.Builder builder = Windrow.configure(newStore());
        for (String name : List.of("", "a\nb", "x".repeat(201))) {
            assertThatThrownBy(() -> builder.metadataInLogs(name))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("metadata name");
        }
        String[] tooMany =
                Collections.nCopies(Metadata.MAX_NAMES + 1, "customer").toArray(String[]::new);
        assertThatThrownBy(() -> builder.metadataInLogs(tooMany))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("number of metadata names %d is not allowed: 0 to %d", tooMany.length, Metadata.MAX_NAMES);
    }
}
