package dev.windrow.tests.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.ChangedMeanwhileException;
import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Changes of a job at the version that the caller has read. */
@OnEachStore
class IfVersionTest extends EngineTest {
    private static final JobType<Json, Json> WORK = JobType.raw("test.work");
    private static final Metadata NOTE = Metadata.none().with("seen", true);

    @Test
    void everyVerbIsRefusedIfTheJobHasChangedMeanwhile() {
        Map<String, Consumer<JobHandle<Json>>> verbs = new LinkedHashMap<>();
        verbs.put("cancel", JobHandle::cancel);
        verbs.put("retry", JobHandle::retry);
        verbs.put("trigger", JobHandle::trigger);
        verbs.put("delete", JobHandle::delete);
        verbs.put("mergeMetadata", job -> job.mergeMetadata(NOTE));
        verbs.put("complete", JobHandle::complete);
        verbs.put("complete with a result", job -> job.complete(new Json("1")));
        verbs.put("completeWith", job -> job.completeWith(new Json("1"), WORK.job(new Json("2"))));
        verbs.put("fail", job -> job.fail("TEST:FAILED", "late"));
        verbs.put("signal", job -> job.signal("paid", new Json("1")));
        JobRef<Json> job = windrow.enqueue(WORK.job(new Json("1")));
        long seen = windrow.job(job).info().version();
        windrow.job(job).mergeMetadata(Metadata.none().with("by", "bob"));
        long now = windrow.job(job).info().version();
        verbs.forEach((name, verb) -> assertThatThrownBy(
                        () -> verb.accept(windrow.job(job).ifVersion(seen)))
                .as(name)
                .isInstanceOfSatisfying(
                        ChangedMeanwhileException.class,
                        refused -> assertThat(refused.jobs())
                                .containsExactly(
                                        new ChangedMeanwhileException.Job(job.id(), seen, now, JobState.PENDING))));
        assertThat(windrow.job(job).info().version()).isEqualTo(now);
        assertThat(windrow.job(job).ifVersion(seen).info().version()).isEqualTo(now);
        assertThat(windrow.jobs(JobFilter.ALL).count()).isEqualTo(1);
        windrow.job(job).ifVersion(now).cancel();
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.CANCELLED);
        // The handle of the chain expects no version.
        assertThat(windrow.job(job).ifVersion(seen).chain().retry().count()).isEqualTo(1);
        assertThatThrownBy(() -> windrow.job(job).ifVersion(-1))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("version -1 is not allowed: 0 or more");
    }

    @Test
    void severalJobsAreChangedOnlyIfAllAreAtTheirVersions() {
        JobRef<Json> one = windrow.enqueue(WORK.job(new Json("1")));
        JobRef<Json> two = windrow.enqueue(WORK.job(new Json("2")));
        Map<JobRef<Json>, Long> seen = Map.of(
                one, windrow.job(one).info().version(),
                two, windrow.job(two).info().version());
        windrow.job(two).mergeMetadata(NOTE);
        for (JobHandles jobs :
                List.of(windrow.jobsIfVersion(seen), windrow.jobsIfVersion(seen).preview())) {
            assertThatThrownBy(jobs::cancel)
                    .isInstanceOfSatisfying(
                            ChangedMeanwhileException.class,
                            refused -> assertThat(refused.jobs())
                                    .extracting(ChangedMeanwhileException.Job::id)
                                    .containsExactly(two.id()));
        }
        assertThat(windrow.job(one).info().state()).isEqualTo(JobState.PENDING);
        Map<JobRef<Json>, Long> now = new LinkedHashMap<>(seen);
        now.put(two, windrow.job(two).info().version());
        windrow.inTransaction((Connection connection) ->
                windrow.on(connection).jobsIfVersion(now).cancel().count());
        assertThat(windrow.job(one).info().state()).isEqualTo(JobState.CANCELLED);
        assertThat(windrow.job(two).info().state()).isEqualTo(JobState.CANCELLED);
        assertThat(windrow.jobsIfVersion(Map.of()).cancel().count()).isZero();
        assertThatThrownBy(() -> windrow.jobsIfVersion(Map.of(one, -1L)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("version -1 is not allowed: 0 or more");
    }

    @Test
    void aSecondChangeOfOneTransactionSeesTheFirst() throws Exception {
        JobRef<Json> job = windrow.enqueue(WORK.job(new Json("1")).withDedupe(Dedupe.key("k")));
        long seen = windrow.job(job).info().version();
        windrow.inTransaction((Connection connection) -> {
            windrow.on(connection).job(WORK, "k").ifVersion(seen).mergeMetadata(NOTE);
            assertThatThrownBy(() ->
                            windrow.on(connection).job(job).ifVersion(seen).cancel())
                    .isInstanceOf(ChangedMeanwhileException.class);
            return true;
        });
        assertThat(windrow.job(job).info().metadata()).isEqualTo(NOTE);
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.PENDING);
    }
}
