package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.windrow.ChangedMeanwhileException;
import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.EventLevel;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.step.Signalled;
import dev.windrow.store.Author;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Renew;
import dev.windrow.store.step.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The version of a job grows with each of its changes, and a change that expects another version writes nothing. */
public abstract class VersionContract extends StoreContract {
    private static final Author ANNA = new Author("anna", null);

    /** Creates the contract for a subclass. */
    protected VersionContract() {}

    private static Change change(Verb verb, long job, @Nullable Long version) {
        return Change.byId(verb, List.of(job), "anna")
                .error(verb == Verb.FAIL ? "TEST:OUTSIDE" : null, null)
                .metadata(verb == Verb.MERGE_METADATA ? Metadata.none().with("by", "anna") : null)
                .expected(version == null ? Map.of() : Map.of(job, version))
                .build();
    }

    private static Change merge(long job, String patch, @Nullable LeaseToken holder) {
        return Change.byId(Verb.MERGE_METADATA, List.of(job), holder == null ? "anna" : "w")
                .metadata(Metadata.parse(patch))
                .holder(holder)
                .build();
    }

    private static Signal signal(long job, String name, @Nullable Long version) {
        return new Signal(job, name, null, ANNA, version);
    }

    /** The life of a job, whose version must grow at each step. */
    private final class Life {
        private final StoreDriver driver;
        private final long job;
        private long version;

        Life(StoreDriver driver, NewRow row) {
            this.driver = driver;
            this.job = driver.enqueue(row);
            this.version = driver.job(job).version();
        }

        /** Asserts that the last step has made the version greater, and that a listing has the same one. */
        void changed(String step) {
            JobInfo read = driver.job(job);
            assertThat(read.version()).as(step).isGreaterThan(version);
            version = read.version();
            same(step);
        }

        void same(String step) {
            assertThat(all(driver.store(), JobFilter.ALL))
                    .as(step)
                    .filteredOn(listed -> listed.id() == job)
                    .extracting(JobInfo::version)
                    .containsExactly(version);
        }

        void change(Verb verb) {
            ChangeResult unused = driver.change(verb, job);
            changed(verb.name());
        }

        ClaimedJob claim() {
            ClaimedJob claimed = driver.claimOne();
            changed("claim");
            return claimed;
        }

        void settle(ClaimedJob claimed, Transition transition) {
            assertThat(driver.settle(claimed, transition)).isTrue();
            changed(transition.name());
        }
    }

    @Test
    void everyChangeRaisesTheVersionAtEveryEventLevel() {
        for (EventLevel level : EventLevel.values()) {
            StoreDriver driver = open(level);
            Life life =
                    new Life(driver, NewRow.job().delay(Duration.ofMinutes(1)).maxAttempts(10));
            time.advance(Duration.ofMinutes(1));
            promote(driver);
            life.changed("it is due");
            life.settle(life.claim(), Transition.HAND_BACK);
            life.settle(life.claim(), Transition.RETRY_LATER);
            life.change(Verb.TRIGGER);
            life.settle(life.claim(), Transition.SNOOZE);
            life.change(Verb.TRIGGER);
            ClaimedJob awaiting = life.claim();
            driver.awaits(awaiting, "paid", Duration.ofHours(1));
            life.changed("it waits");
            Signalled early = StoreDriver.answer(driver.store().submit(signal(life.job, "early", null)));
            assertThat(early).isEqualTo(new Signalled(JobState.BLOCKED, true));
            life.changed("an early signal");
            StoreDriver.answer(driver.store().submit(signal(life.job, "paid", null)));
            life.changed("the signal for which it waits");
            ClaimedJob running = life.claim();
            StoreDriver.answer(driver.store().submit(signal(life.job, "later", null)));
            life.changed("a signal while it runs");
            StoreDriver.answer(driver.store().submit(merge(life.job, "{\"a\":1}", null)));
            life.changed("metadata");
            StoreDriver.answer(driver.store().submit(merge(life.job, "{\"a\":2}", running.leaseToken())));
            life.changed("metadata by the worker");
            StoreDriver.answer(driver.store().submit(merge(life.job, "{\"a\":null}", running.leaseToken())));
            life.changed("metadata that are gone");
            life.change(Verb.CANCEL);
            life.settle(running, Transition.CANCEL_RUNNING);
            life.change(Verb.RETRY);
            life.settle(life.claim(), Transition.FAIL);
            life.change(Verb.RETRY);
            life.change(Verb.COMPLETE);
            driver.change(Verb.DELETE, life.job);
        }
    }

    @Test
    void theVersionGrowsWhileTheHistoryIsTruncated() {
        for (EventLevel level : EventLevel.values()) {
            StoreDriver driver = open(level);
            Life life = new Life(driver, NewRow.job());
            for (int i = 0; i < JobHistory.FIRST_ATTEMPTS + JobHistory.LAST_ATTEMPTS + 30; i++) {
                life.settle(life.claim(), Transition.HAND_BACK);
            }
            assertThat(driver.history(life.job).attemptsLeftOut()).isPositive();
            driver.change(Verb.CANCEL, life.job);
        }
    }

    /** Makes due jobs PENDING, by a claim that takes none of them. */
    private static void promote(StoreDriver driver) {
        assertThat(driver.claim(StoreDriver.from(1000, StoreDriver.request(1))).jobs())
                .isEmpty();
    }

    @Test
    void anEnqueueThatReplacesAJobRaisesTheVersion() {
        Dedupe key = Dedupe.key("k").replace();
        Life life = new Life(store(), NewRow.job().dedupe(key).metadata("{\"a\":1}"));
        assertThat(store().enqueue(NewRow.job().priority(5).dedupe(key))).isEqualTo(life.job);
        life.changed("another priority");
        assertThat(store().enqueue(NewRow.job().delay(Duration.ofMinutes(1)).dedupe(key)))
                .isEqualTo(life.job);
        life.changed("another time");
        assertThat(store().enqueue(NewRow.job().dedupe(Dedupe.key("k")))).isEqualTo(life.job);
        life.same("it is kept");
    }

    @Test
    void theVersionStaysWhileNothingChanges() {
        Life life = new Life(store(), NewRow.job());
        store().enqueue(NewRow.of("q", "other"));
        life.same("another job is new");
        ClaimedJob running = life.claim();
        time.advance(Duration.ofSeconds(10));
        StoreDriver.answer(store().store().submit(new Renew(List.of(running.leaseToken()), 30_000)));
        life.same("its lease is renewed");
        life.change(Verb.CANCEL);
        store().change(Verb.CANCEL, life.job);
        life.same("a second request to cancel");
        StoreDriver.answer(store().store().submit(signal(life.job, "paid", null)));
        life.changed("a signal");
        StoreDriver.answer(store().store().submit(signal(life.job, "paid", null)));
        life.same("a second signal of the same name");
        assertThat(failure(store().store().submit(change(Verb.RETRY, life.job, null))))
                .isInstanceOf(TransitionRefusedException.class);
        life.same("a refused change");
        StoreDriver.answer(store().store()
                .submit(Change.byId(Verb.COMPLETE, List.of(life.job), "anna")
                        .dryRun(true)
                        .build()));
        life.same("a dry run");
    }

    @Test
    void aChangeThatExpectsAnotherVersionWritesNothing() {
        for (Verb verb : Verb.values()) {
            long job = subject(verb);
            long version = store().job(job).version();
            StoreDriver.answer(store().store().submit(merge(job, "{\"by\":\"another operator\"}", null)));
            JobHistory before = store().history(job);
            int entries = store().audit(100).size();
            refused(failure(store().store().submit(change(verb, job, version))), version, before.job());
            assertThat(store().history(job)).isEqualTo(before);
            assertThat(store().audit(100)).hasSize(entries);
            assertThat(StoreDriver.answer(store().store()
                                    .submit(change(verb, job, before.job().version())))
                            .count())
                    .as(verb.name())
                    .isEqualTo(1);
        }
    }

    /** Returns a new job that this verb can change. */
    private long subject(Verb verb) {
        return switch (verb) {
            case TRIGGER -> store().enqueue(NewRow.job().delay(Duration.ofHours(1)));
            case RETRY, DELETE -> {
                long job = store().enqueue(NewRow.job());
                store().change(Verb.CANCEL, job);
                yield job;
            }
            case CANCEL -> store().running(NewRow.of("q", "t").priority(9)).id();
            case COMPLETE, FAIL, MERGE_METADATA -> store().enqueue(NewRow.job());
        };
    }

    @Test
    void theVersionIsCheckedBeforeTheState() {
        long job = store().enqueue(NewRow.job());
        long version = store().job(job).version();
        store().change(Verb.COMPLETE, job);
        JobInfo now = store().job(job);
        refused(failure(store().store().submit(change(Verb.CANCEL, job, version))), version, now);
        assertThat(failure(store().store().submit(change(Verb.CANCEL, job, now.version()))))
                .isInstanceOf(TransitionRefusedException.class);
        store().change(Verb.DELETE, job);
        assertThat(failure(store().store().submit(change(Verb.CANCEL, job, now.version()))))
                .isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void aSignalThatExpectsAnotherVersionWritesNothing() {
        ClaimedJob running = store().running(NewRow.job());
        long version = store().job(running.id()).version();
        StoreDriver.answer(store().store().submit(signal(running.id(), "first", version)));
        JobHistory before = store().history(running.id());
        refused(failure(store().store().submit(signal(running.id(), "second", version))), version, before.job());
        assertThat(store().history(running.id())).isEqualTo(before);
        assertThat(before.steps()).extracting(JobHistory.Step::name).containsExactly("first");
    }

    @Test
    void ofManyChangesThatExpectOneVersionOneIsMade() {
        StoreDriver other = open();
        long job = store().enqueue(NewRow.job());
        long version = store().job(job).version();
        List<CompletableFuture<ChangeResult>> changes = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            StoreDriver driver = i % 2 == 0 ? store() : other;
            changes.add(driver.store().submit(change(Verb.MERGE_METADATA, job, version)));
        }
        List<Throwable> failures = changes.stream()
                .map(StoreContract::failure)
                .filter(Objects::nonNull)
                .toList();
        assertThat(failures).hasSize(39);
        failures.forEach(failure -> refused(failure, version, store().job(job)));
        assertThat(store().audit(100)).hasSize(1);
    }

    /** Asserts that a change was refused, because it expected this version of the job. */
    private static void refused(Throwable failure, long expected, JobInfo job) {
        assertThat(changed(failure))
                .containsExactly(new ChangedMeanwhileException.Job(job.id(), expected, job.version(), job.state()));
        assertThat(failure).hasMessageContaining("job " + job.id() + " has changed meanwhile");
    }

    /** Returns the jobs because of which a change was refused. */
    private static List<ChangedMeanwhileException.Job> changed(Throwable failure) {
        assertThat(failure).isInstanceOf(ChangedMeanwhileException.class);
        return ((ChangedMeanwhileException) failure).jobs();
    }

    // ---- several jobs ----------------------------------------------------------------------------------------------

    private static Change changeAll(Verb verb, Map<Long, Long> versions, boolean dryRun) {
        return Change.byId(verb, List.copyOf(versions.keySet()), "anna")
                .error(verb == Verb.FAIL ? "TEST:OUTSIDE" : null, null)
                .expected(versions)
                .dryRun(dryRun)
                .build();
    }

    private Map<Long, Long> versions(List<Long> jobs) {
        Map<Long, Long> versions = new TreeMap<>();
        jobs.forEach(job -> versions.put(job, store().job(job).version()));
        return versions;
    }

    @Test
    void aChangeOfSeveralJobsNamesAllThatHaveChangedAndWritesNothing() {
        for (Verb verb : EnumSet.complementOf(EnumSet.of(Verb.MERGE_METADATA))) {
            List<Long> jobs = List.of(subject(verb), subject(verb), subject(verb), subject(verb));
            Map<Long, Long> seen = versions(jobs);
            for (long job : jobs.subList(1, 3)) {
                StoreDriver.answer(store().store().submit(merge(job, "{\"by\":\"another operator\"}", null)));
            }
            List<JobHistory> before = jobs.stream().map(store()::history).toList();
            int entries = store().audit(100).size();
            List<ChangedMeanwhileException.Job> expected = jobs.subList(1, 3).stream()
                    .map(store()::job)
                    .map(job -> new ChangedMeanwhileException.Job(
                            job.id(), Objects.requireNonNull(seen.get(job.id())), job.version(), job.state()))
                    .toList();
            for (boolean dryRun : List.of(true, false)) {
                Throwable failure = failure(store().store().submit(changeAll(verb, seen, dryRun)));
                assertThat(changed(failure)).as(verb.name()).isEqualTo(expected);
                assertThat(failure)
                        .hasMessageContaining("2 jobs have changed meanwhile: job " + jobs.get(1))
                        .hasMessageContaining("job " + jobs.get(2));
            }
            assertThat(jobs.stream().map(store()::history).toList())
                    .as(verb.name())
                    .isEqualTo(before);
            assertThat(store().audit(100)).hasSize(entries);
            assertThat(StoreDriver.answer(store().store().submit(changeAll(verb, versions(jobs), false)))
                            .count())
                    .as(verb.name())
                    .isEqualTo(4);
        }
    }

    @Test
    void oneJobThatWasRetriedAndFailedAnewKeepsAllFromBeingRetried() {
        List<Long> jobs = store().enqueueAll(NewRow.job(), NewRow.job());
        store().claim(2).forEach(job -> store().settle(job, Transition.FAIL));
        Map<Long, Long> seen = versions(jobs);
        store().change(Verb.RETRY, jobs.get(1));
        store().settle(store().claimOne(), Transition.FAIL);
        assertThat(changed(failure(store().store().submit(changeAll(Verb.RETRY, seen, false)))))
                .extracting(ChangedMeanwhileException.Job::id, ChangedMeanwhileException.Job::state)
                .containsExactly(tuple(jobs.get(1), JobState.FAILED));
        assertThat(store().count(JobState.FAILED)).isEqualTo(2);
    }

    @Test
    void ofManyChangesThatExpectTheVersionsOfSharedJobsOneIsMadeForEachVersion() {
        StoreDriver other = open();
        List<Long> jobs = store().enqueueAll(NewRow.job(), NewRow.job(), NewRow.job());
        Map<Long, Long> left = versions(jobs.subList(0, 2));
        Map<Long, Long> right = versions(jobs.subList(1, 3));
        List<CompletableFuture<ChangeResult>> changes = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            changes.add((i % 2 == 0 ? store() : other)
                    .store()
                    .submit(changeAll(Verb.CANCEL, i % 4 < 2 ? left : right, false)));
        }
        List<Throwable> failures = changes.stream()
                .map(StoreContract::failure)
                .filter(Objects::nonNull)
                .toList();
        assertThat(failures)
                .hasSize(39)
                .allSatisfy(failure -> assertThat(changed(failure))
                        .extracting(ChangedMeanwhileException.Job::state)
                        .containsOnly(JobState.CANCELLED));
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(2);
        assertThat(store().audit(100)).hasSize(1);
    }

    @Test
    void theEventsOfAWorkersMetadataDoNotFillTheLog() {
        ClaimedJob running = store().running(NewRow.job());
        StoreDriver.answer(store().store().submit(merge(running.id(), "{\"a\":1}", null)));
        for (int i = 0; i < 10; i++) {
            StoreDriver.answer(store().store().submit(merge(running.id(), "{\"n\":" + i + "}", running.leaseToken())));
        }
        store().settle(running, Transition.HAND_BACK);
        ClaimedJob next = store().claimOne();
        StoreDriver.answer(store().store().submit(merge(running.id(), "{\"n\":11}", next.leaseToken())));
        assertThat(metadataEvents(running.id())).containsExactly("anna", "w", "w");
    }

    @Test
    void theEventsOfAnOperatorsMetadataDoNotFillTheLog() {
        long job = store().enqueue(NewRow.job());
        for (int i = 0; i < 10; i++) {
            StoreDriver.answer(store().store().submit(merge(job, "{\"n\":" + i + "}", null)));
        }
        StoreDriver.answer(store().store()
                .submit(Change.byId(Verb.MERGE_METADATA, List.of(job), "bob")
                        .metadata(Metadata.none().with("by", "bob"))
                        .build()));
        long version = store().job(job).version();
        store().store().inTransaction(connection -> {
            for (int i = 0; i < 10; i++) {
                ChangeResult unused = store().store().apply(connection, merge(job, "{\"n\":" + i + "}", null));
            }
            return job;
        });
        assertThat(store().job(job).version()).isGreaterThan(version);
        assertThat(metadataEvents(job)).containsExactly("bob", "anna");
        ClaimedJob running = store().claimOne();
        StoreDriver.answer(store().store().submit(merge(job, "{\"n\":11}", null)));
        store().complete(running);
        StoreDriver.answer(store().store().submit(merge(job, "{\"n\":12}", null)));
        assertThat(metadataEvents(job)).containsExactly("bob", "anna", "anna");
        // The audit has each of them.
        assertThat(store().audit(100)).hasSize(23);
    }

    @Test
    void manyChangesOfMetadataAtOnceLeaveOneEvent() {
        long job = store().enqueue(NewRow.job());
        List<CompletableFuture<ChangeResult>> changes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            changes.add(store().store()
                    .submit(Change.byId(Verb.MERGE_METADATA, List.of(job), "carl")
                            .metadata(Metadata.none().with("n", i))
                            .build()));
        }
        changes.forEach(StoreDriver::answer);
        assertThat(metadataEvents(job)).containsExactly("carl");
    }

    /** Returns the actors of the events about changes of the metadata. */
    private List<String> metadataEvents(long job) {
        return store().history(job).events().stream()
                .filter(event -> event.event() == EventKind.METADATA_CHANGED)
                .map(JobHistory.Event::actor)
                .toList();
    }
}
