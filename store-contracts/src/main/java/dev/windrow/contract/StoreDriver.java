package dev.windrow.contract;

import static java.util.Objects.requireNonNull;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.EventLevel;
import dev.windrow.JobHistory;
import dev.windrow.JobHistory.StepKind;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.Store;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreHints;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.job.WorkerId;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.step.StepWrite;
import dev.windrow.testkit.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A driver for tests of stores. It calls the methods of a store in short form and waits for each result, with a clock driven by hand. Safe for use by
 * many threads.
 */
public final class StoreDriver implements AutoCloseable {
    /** The lease of claims: 30 seconds. */
    public static final Duration LEASE = Duration.ofSeconds(30);
    /** The longest wait for a result, by the machine's clock: far beyond any timeout of a store. */
    private static final long PATIENCE_SECONDS = 60;
    /** The time that a reclaim may wait in the store. */
    public static final long WITHIN_MILLIS = 60_000;

    private final OpenStore store;
    private final ManualTime time;
    private final Hints hints = new Hints();

    /** The hints of a store. They come after the commit, possibly after the result. */
    public static final class Hints implements StoreHints {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition told = lock.newCondition();
        // Guarded by lock.
        private final List<String> rings = new ArrayList<>();
        private final Map<Long, JobState> ended = new HashMap<>();
        private final Set<LeaseToken> cancelRequested = new HashSet<>();
        private final Deque<WaitingClaim> waitingClaims = new ArrayDeque<>();
        private long due = Long.MAX_VALUE;
        private final Set<Long> waits = new HashSet<>();
        private final Set<Long> schedules = new HashSet<>();
        private final Set<LeaseToken> superseded = new HashSet<>();
        private boolean anySuperseded;

        /** Creates an instance without hints. */
        public Hints() {}

        @Override
        public void ready(String queue, String type) {
            locked(() -> {
                rings.add(queue + "/" + type);
                told.signalAll();
                return true;
            });
        }

        @Override
        public @Nullable WaitingClaim waitingClaim(String queue, String type) {
            lock.lock();
            try {
                WaitingClaim first = waitingClaims.peek();
                boolean wanted = first != null
                        && first.request().queues().contains(queue)
                        && first.request().types().contains(type);
                return wanted ? waitingClaims.poll() : null;
            } finally {
                lock.unlock();
            }
        }

        /** Offers this claim to the store for the moment when jobs for it become ready. */
        public void offer(WaitingClaim waitingClaim) {
            locked(() -> waitingClaims.add(waitingClaim));
        }

        @Override
        public void due(long atMillis) {
            locked(() -> {
                due = atMillis;
                told.signalAll();
                return true;
            });
        }

        @Override
        public void cancelRequested(LeaseToken leaseToken) {
            locked(() -> {
                cancelRequested.add(leaseToken);
                told.signalAll();
                return true;
            });
        }

        @Override
        public void finished(long id, JobState state) {
            locked(() -> {
                ended.put(id, state);
                told.signalAll();
                return true;
            });
        }

        @Override
        public void waitEnds(long atMillis) {
            locked(() -> {
                waits.add(atMillis);
                told.signalAll();
                return true;
            });
        }

        @Override
        public void scheduleDue(long atMillis) {
            locked(() -> {
                schedules.add(atMillis);
                told.signalAll();
                return true;
            });
        }

        @Override
        public void superseded(@Nullable LeaseToken leaseToken) {
            locked(() -> {
                if (leaseToken == null) {
                    anySuperseded = true;
                } else {
                    superseded.add(leaseToken);
                }
                told.signalAll();
                return true;
            });
        }

        /**
         * Waits for the hint that a wait times out at this time.
         *
         * @throws AssertionError if the hint does not come within a minute
         */
        public void awaitWait(long atMillis) {
            await("the news of a wait until " + atMillis, () -> waits.contains(atMillis));
        }

        /**
         * Waits for the hint that a schedule is due at this time.
         *
         * @throws AssertionError if the hint does not come within a minute
         */
        public void awaitSchedule(long atMillis) {
            await("the news of a schedule due at " + atMillis, () -> schedules.contains(atMillis));
        }

        /**
         * Waits for the hint that this claim, or an unknown claim of any process, is superseded; forgets it.
         *
         * @throws AssertionError if the hint does not come within a minute
         */
        public void awaitSuperseded(LeaseToken leaseToken) {
            await(
                    "the news that " + leaseToken + " is superseded",
                    () -> superseded.contains(leaseToken) || anySuperseded);
            locked(() -> {
                anySuperseded = false;
                return superseded.remove(leaseToken);
            });
        }

        /** Returns the lanes with a hint so far, as {@code queue/type}, once for each hint. */
        public List<String> rings() {
            return locked(() -> List.copyOf(rings));
        }

        /** Returns the claims with a request to cancel, by the hints so far. */
        public Set<LeaseToken> cancelRequests() {
            return locked(() -> Set.copyOf(cancelRequested));
        }

        /** Returns the next due time of the last hint; {@link Long#MAX_VALUE} without a hint. */
        public long due() {
            return locked(() -> due);
        }

        /** Returns the final state of the job by the hints so far, if any. */
        public Optional<JobState> ended(long id) {
            return locked(() -> Optional.ofNullable(ended.get(id)));
        }

        /**
         * Waits for a hint for this lane.
         *
         * @throws AssertionError if the hint does not come within a minute
         */
        public void awaitHint(String queue, String type) {
            await("a ring for " + queue + "/" + type, () -> rings.contains(queue + "/" + type));
        }

        /**
         * Waits for the hint that the job has ended in this state.
         *
         * @throws AssertionError if the hint does not come within a minute
         */
        public void awaitEnded(long id, JobState state) {
            await("the news that job " + id + " is " + state, () -> ended.get(id) == state);
        }

        /**
         * Waits for the hint that this claim has a request to cancel.
         *
         * @throws AssertionError if the hint does not come within a minute
         */
        public void awaitCancelRequest(LeaseToken leaseToken) {
            await("the request to cancel " + leaseToken, () -> cancelRequested.contains(leaseToken));
        }

        /** Forgets the hints so far. */
        public void forget() {
            locked(() -> {
                rings.clear();
                ended.clear();
                cancelRequested.clear();
                return true;
            });
        }

        private void await(String what, BooleanSupplier come) {
            locked(() -> {
                long nanos = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
                while (!come.getAsBoolean()) {
                    if (nanos <= 0) {
                        throw new AssertionError(what + " did not come within " + PATIENCE_SECONDS + " s");
                    }
                    try {
                        nanos = told.awaitNanos(nanos);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new AssertionError("interrupted while waiting for " + what, e);
                    }
                }
                return true;
            });
        }

        private <T> T locked(Supplier<T> action) {
            lock.lock();
            try {
                return action.get();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Opens the store with this clock; closes it when closed. It writes all events. */
    public StoreDriver(Store store, ManualTime time) {
        this(store, time, EventLevel.ALL);
    }

    /** Opens the store with this clock and this level of events; closes it when closed. */
    public StoreDriver(Store store, ManualTime time, EventLevel level) {
        this.store = StoreProvider.open(store, new StoreEnvironment(time, level, hints));
        this.time = time;
    }

    /** Returns the open store itself. */
    public OpenStore store() {
        return store;
    }

    /** Returns its clock. */
    public ManualTime time() {
        return time;
    }

    /** Returns its hints. */
    public Hints hints() {
        return hints;
    }

    /**
     * Returns the result of a command.
     *
     * @throws RuntimeException the failure of the command
     * @throws AssertionError if no result came within a minute
     */
    public static <T> T answer(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError("a verb failed with something else than an exception of Windrow", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("no answer within " + PATIENCE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for an answer", e);
        }
    }

    /** Enqueues rows in one call; returns their ids. */
    public List<Long> enqueueAll(List<NewRow> rows) {
        return answer(store.submitAndWait(
                        new Enqueue(rows.stream().map(NewRow::row).toList())))
                .stream()
                .map(EnqueuedJob::id)
                .toList();
    }

    /** Enqueues rows in one call; returns their ids. */
    public List<Long> enqueueAll(NewRow... rows) {
        return enqueueAll(Arrays.asList(rows));
    }

    /** Enqueues one row; returns its id. */
    public long enqueue(NewRow row) {
        List<JobRow> rows = List.of(row.row());
        return answer(store.submitAndWait(new Enqueue(rows))).get(0).id();
    }

    /** Returns a request for jobs of queue {@code q} and type {@code t} by worker {@code w}. */
    public static Claim request(int limit) {
        return request("w", Set.of("q"), Set.of("t"), limit);
    }

    /** Returns a request for the jobs of another one that have this priority or more. */
    public static Claim from(int minPriority, Claim request) {
        return new Claim(
                /* worker= */ request.worker(),
                /* queues= */ request.queues(),
                /* types= */ request.types(),
                /* limit= */ request.limit(),
                /* leaseMillis= */ request.leaseMillis(),
                /* minPriority= */ minPriority);
    }

    /** Returns the worker of this name; the same one each time. */
    public static WorkerId worker(String name) {
        return new WorkerId(name, "1");
    }

    /** Returns a request under the usual lease. */
    public static Claim request(String worker, Set<String> queues, Set<String> types, int limit) {
        return new Claim(worker(worker), queues, types, limit, LEASE.toMillis());
    }

    /** Claims; returns the jobs and when the next one is due. */
    public Claimed claim(Claim request) {
        return answer(store.submitAndWait(request));
    }

    /** Claims jobs of queue {@code q} and type {@code t}. */
    public List<ClaimedJob> claim(int limit) {
        return claim(request(limit)).jobs();
    }

    /**
     * Claims one job of queue {@code q} and type {@code t}.
     *
     * @throws AssertionError without a ready job
     */
    public ClaimedJob claimOne() {
        List<ClaimedJob> jobs = claim(1);
        if (jobs.size() != 1) {
            throw new AssertionError("a claim of one job took " + jobs);
        }
        return jobs.get(0);
    }

    /**
     * Claims one job that another process, or a caller's transaction, has made ready. A store may find it only by its next poll, because the
     * notification comes after the commit, or not at all.
     *
     * @throws AssertionError without a ready job for a minute
     */
    public ClaimedJob claimSoon() {
        long begin = System.nanoTime();
        List<ClaimedJob> jobs;
        do {
            jobs = claim(1);
        } while (jobs.isEmpty() && System.nanoTime() - begin < TimeUnit.MINUTES.toNanos(1));
        if (jobs.size() != 1) {
            throw new AssertionError("a claim of one job took " + jobs);
        }
        return jobs.get(0);
    }

    /** Enqueues a job and claims it; it must be the only one that is ready. */
    public ClaimedJob running(NewRow row) {
        long id = enqueue(row);
        ClaimedJob job = claimOne();
        if (job.id() != id) {
            throw new AssertionError("expected job " + id + ", claimed " + job.id());
        }
        return job;
    }

    /** Records that an attempt was started when it was claimed, and waits until that is durable. */
    public void start(ClaimedJob job) {
        started(new Started(job.leaseToken(), "w", job.claimedAtMillis()));
        answer(store.submitAndWait(new Touch()));
    }

    /** Returns a settlement at the present time, of an attempt that was started when it was claimed. */
    public Settle settlement(ClaimedJob job, Transition transition) {
        boolean scheduled = transition.to() == JobState.SCHEDULED;
        boolean failed = transition == Transition.FAIL || transition == Transition.RETRY_LATER;
        return Settle.of(job, "w", transition, outcome(transition), time.millis())
                .error(failed ? "TEST:FAILED" : null, failed ? "it failed" : null)
                .startedAtMillis(job.claimedAtMillis())
                .result(transition == Transition.COMPLETE ? "{\"by\":" + job.id() + "}" : null)
                .stackTrace(failed ? "at line 1" : null)
                .nextRunAtMillis(scheduled ? time.millis() + 60_000 : null)
                .build();
    }

    /** Ends a claimed job {@code FAILED} with this code; returns whether that was applied. */
    public boolean fail(ClaimedJob job, String code) {
        return answer(store.submitAndWait(Settle.of(job, "w", Transition.FAIL, AttemptOutcome.FAILED, time.millis())
                .error(code, "it failed")
                .startedAtMillis(job.claimedAtMillis())
                .stackTrace("at line 1")
                .build()));
    }

    /** Returns the same settlement, of a {@code COMPLETE}, with a next job. */
    public static Settle goingOn(Settle completes, JobRow next) {
        return Settle.of(
                        completes.job(),
                        completes.worker(),
                        completes.transition(),
                        completes.outcome(),
                        completes.finishedAtMillis())
                .error(completes.errorCode(), completes.errorDetail())
                .startedAtMillis(completes.startedAtMillis())
                .result(completes.result())
                .stackTrace(completes.stackTrace())
                .output(completes.output())
                .nextRunAtMillis(completes.nextRunAtMillis())
                .next(next)
                .build();
    }

    /** Returns the completion of a job by an operator, with a next job. */
    public static Change goingOn(long job, JobRow next) {
        return Change.byId(Change.Verb.COMPLETE, List.of(job), "operator")
                .result("\"outside\"")
                .next(next)
                .build();
    }

    /** Returns the usual outcome of an attempt that ends by this transition of the holder. */
    public static AttemptOutcome outcome(Transition transition) {
        return switch (transition) {
            case COMPLETE -> AttemptOutcome.SUCCEEDED;
            case FAIL, RETRY_LATER -> AttemptOutcome.FAILED;
            case SNOOZE -> AttemptOutcome.SNOOZED;
            case HAND_BACK -> AttemptOutcome.RELEASED;
            case PARK -> AttemptOutcome.PARKED;
            case CANCEL_RUNNING -> AttemptOutcome.CANCELLED;
            default -> throw new IllegalArgumentException(transition + " does not end an attempt");
        };
    }

    /** Settles; returns true if that was applied. */
    public boolean settle(ClaimedJob job, Transition transition) {
        return answer(store.submitAndWait(settlement(job, transition)));
    }

    /** Makes an attempt await an event that has not come, and parks it; returns true if that was applied. */
    public boolean awaits(ClaimedJob job, String event, Duration timeout) {
        StepWrite step = StepWrite.waits(job.leaseToken(), event, StepKind.EVENT, timeout, time.millis());
        return answer(store.submitAndWait(step)).isPresent() && park(job, event, timeout);
    }

    /** Parks an attempt until this event, or, with null, for external completion; returns true if that was applied. */
    public boolean park(ClaimedJob job, @Nullable String event, Duration timeout) {
        return answer(store.submitAndWait(Settle.of(job, "w", Transition.PARK, AttemptOutcome.PARKED, time.millis())
                .startedAtMillis(job.claimedAtMillis())
                .nextRunAtMillis(time.millis() + timeout.toMillis())
                .awaits(event)
                .build()));
    }

    /** Records the start of an attempt, which becomes durable with the next commit. */
    public void started(Started started) {
        CompletableFuture<Void> unused = store.submit(started);
    }

    /** Records the start and the success of an attempt; returns true if the success was applied. */
    public boolean complete(ClaimedJob job) {
        started(new Started(job.leaseToken(), "w", job.claimedAtMillis()));
        return settle(job, Transition.COMPLETE);
    }

    /** Changes jobs by id. */
    public ChangeResult change(Change.Verb verb, Long... ids) {
        return answer(ChangeByFilter.run(store, change(verb, Arrays.asList(ids))));
    }

    /** Returns the newest entries of the audit. */
    public List<AuditEntry> audit(int limit) {
        return store.audit(AuditFilter.ALL, null, limit).entries();
    }

    /** Returns a change of these jobs by an operator, with the values that the verb needs. */
    public static Change change(Change.Verb verb, List<Long> ids) {
        return Change.byId(verb, ids, "operator")
                .error(
                        verb == Change.Verb.FAIL ? "TEST:OUTSIDE" : null,
                        verb == Change.Verb.FAIL ? "by an operator" : null)
                .result(verb == Change.Verb.COMPLETE ? "\"outside\"" : null)
                .build();
    }

    /** Returns the suspects of the usual lease. */
    public List<Suspect> suspects() {
        return store.suspects(LEASE.toMillis(), null, 1000);
    }

    /** Reclaims a suspect; returns true if that was applied. */
    public boolean reclaim(Suspect suspect, Transition transition, AttemptOutcome outcome) {
        Long nextRun = transition == Transition.RETRY_LATER ? time.millis() + 60_000 : null;
        return !answer(store.submitAndWait(new Reclaim(
                        List.of(new Orphan(suspect, transition, outcome, nextRun, "reclaimer")), WITHIN_MILLIS)))
                .isEmpty();
    }

    /** Examines all of the store by its clock. */
    public Diagnosis diagnose() {
        return store.diagnose(new DiagnoseRequest(time, DiagnoseOptions.ALL));
    }

    /** Returns everything about a job that exists. */
    public JobHistory history(long id) {
        return store.history(id).orElseThrow(() -> new AssertionError("job " + id + " does not exist"));
    }

    /** Returns a job that exists. */
    public JobInfo job(long id) {
        return history(id).job();
    }

    /** Returns the state of a job that exists. */
    public JobState state(long id) {
        return job(id).state();
    }

    /** Returns the events of a job, in order. */
    public List<EventKind> events(long id) {
        return events(history(id));
    }

    /** Returns the events in a history, in order. */
    public static List<EventKind> events(JobHistory history) {
        return history.events().stream().map(JobHistory.Event::event).toList();
    }

    /** Returns the outcomes of the ended attempts of a job, in order. */
    public List<AttemptOutcome> outcomes(long id) {
        return outcomes(history(id));
    }

    /** Returns the outcomes of the ended attempts in a history, in order. */
    public static List<AttemptOutcome> outcomes(JobHistory history) {
        return history.attempts().stream()
                .filter(attempt -> attempt.outcome() != null)
                .map(attempt -> requireNonNull(attempt.outcome()))
                .toList();
    }

    /** Returns the number of jobs in a state, by the counters. */
    public long count(JobState state) {
        return requireNonNull(store.statistics().states().get(state));
    }

    @Override
    public void close() {
        store.close();
    }
}
