package dev.windrow.engine.job;

import dev.windrow.BulkResult;
import dev.windrow.ChainHandle;
import dev.windrow.ChainRef;
import dev.windrow.Dedupe;
import dev.windrow.Enqueued;
import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.Retry;
import dev.windrow.RetryPolicy;
import dev.windrow.engine.NameRule;
import dev.windrow.engine.monitor.Traces;
import dev.windrow.engine.payload.BlobStreams;
import dev.windrow.engine.payload.Encoded;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.engine.payload.Texts;
import dev.windrow.engine.schedule.ScheduleVerbs;
import dev.windrow.engine.step.AttemptSteps;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Metadata;
import dev.windrow.schedule.Schedules;
import dev.windrow.step.Signalled;
import dev.windrow.store.Author;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.FindKeyed;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.schedule.ScheduleChanged;
import dev.windrow.store.step.Signal;
import dev.windrow.store.workflow.ParentPlaces;
import dev.windrow.validation.Bounds;
import dev.windrow.workflow.Parent;
import dev.windrow.workflow.SubmittedWorkflow;
import dev.windrow.workflow.Workflow;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The writing verbs, for each kind of transaction. */
public final class Verbs implements Jobs {
    /** The target of rows and changes: a transaction of the store or of the caller. */
    public interface Target {
        /** Returns the target of payloads that are too long for a row. */
        BlobStreams.Target blobs();

        List<EnqueuedJob> enqueue(List<JobRow> rows);

        /** Returns the newest job that was enqueued with a dedupe key; empty if this transaction sees none. */
        Optional<Long> find(FindKeyed keyed);

        ChangeResult change(Change change);

        ScheduleChanged schedule(ScheduleChange change);

        Signalled signal(Signal signal);
    }

    private final Target target;
    private final Reads reads;
    private final Payloads payloads;
    private final Author author;
    private final Traces traces;
    /** The version that a changed job must have, or null. */
    private final @Nullable Long expected;

    public Verbs(Target target, Reads reads, Author author, Traces traces) {
        this(target, reads, author, traces, null);
    }

    private Verbs(Target target, Reads reads, Author author, Traces traces, @Nullable Long expected) {
        this.target = target;
        this.reads = reads;
        this.payloads = reads.payloads();
        this.author = author;
        this.traces = traces;
        this.expected = expected;
    }

    /** Returns the verbs that change a job only if it has this version. */
    Verbs expecting(long version) {
        return new Verbs(target, reads, author, traces, checked(version));
    }

    private static long checked(long version) {
        if (version < 0) {
            throw new InvalidRequestException("version %d is not allowed: 0 or more".formatted(version));
        }
        return version;
    }

    @Override
    public <I extends @Nullable Object, O extends @Nullable Object> Enqueued<O> enqueue(JobRequest<I, O> job) {
        Traces.Enqueue trace = traces.enqueuing(job);
        try {
            Enqueued<O> answer = enqueued(
                    job, target.enqueue(List.of(row(trace.traced(job)))).get(0));
            trace.written(answer);
            return answer;
        } catch (Throwable e) {
            trace.failed(e);
            throw e;
        }
    }

    @Override
    public List<Enqueued<?>> enqueueAll(Collection<? extends JobRequest<?, ?>> jobs) {
        List<JobRequest<?, ?>> ordered = List.copyOf(jobs);
        if (ordered.isEmpty()) {
            return List.of();
        }
        Traces.Enqueue trace = traces.enqueuing(ordered);
        try {
            List<Enqueued<?>> answers = answers(ordered, target.enqueue(rows(ordered, trace)));
            trace.written(answers);
            return answers;
        } catch (Throwable e) {
            trace.failed(e);
            throw e;
        }
    }

    @Override
    public SubmittedWorkflow submit(Workflow workflow) {
        List<JobRequest<?, ?>> jobs = new ArrayList<>();
        List<List<Parent>> parents = new ArrayList<>();
        for (Workflow.Node<?> node : workflow.nodes()) {
            jobs.add(node.job());
            parents.add(node.parents());
        }
        if (jobs.isEmpty()) {
            throw new InvalidRequestException("a workflow without jobs is not allowed: at least one");
        }
        // This check comes before payloads are written. The store checks again, because it does not rely on its
        // callers.
        ParentPlaces unused = ParentPlaces.of(parents, place -> {
            JobRequest<?, ?> job = jobs.get(place);
            return ParentPlaces.describe(place, job.type().name(), job.name());
        });
        Traces.Enqueue trace = traces.enqueuing(jobs);
        try {
            List<JobRow> rows = rows(jobs, trace);
            List<EnqueuedJob> written = target.enqueue(IntStream.range(0, rows.size())
                    .mapToObj(i -> rows.get(i).withParents(parents.get(i)).withWorkflow(JobRow.NEW_WORKFLOW))
                    .toList());
            List<Enqueued<?>> answers = answers(jobs, written);
            trace.written(answers);
            return new SubmittedWorkflow(Objects.requireNonNull(written.get(0).workflow()), workflow, answers);
        } catch (Throwable e) {
            trace.failed(e);
            throw e;
        }
    }

    private List<JobRow> rows(List<JobRequest<?, ?>> ordered, Traces.Enqueue trace) {
        // All payloads are checked before the first one is written, including long ones.
        List<Encoded> payloads = new ArrayList<>(ordered.size());
        for (JobRequest<?, ?> job : ordered) {
            payloads.add(encode(job));
        }
        List<JobRow> rows = new ArrayList<>(ordered.size());
        for (int i = 0; i < ordered.size(); i++) {
            rows.add(row(trace.traced(ordered.get(i)), payloads.get(i)));
        }
        return rows;
    }

    private static List<Enqueued<?>> answers(List<JobRequest<?, ?>> ordered, List<EnqueuedJob> written) {
        List<Enqueued<?>> answers = new ArrayList<>(written.size());
        for (int i = 0; i < written.size(); i++) {
            answers.add(enqueued(ordered.get(i), written.get(i)));
        }
        return answers;
    }

    @Override
    public <O extends @Nullable Object> JobHandle<O> job(JobRef<O> job) {
        JobRef<O> ref = Objects.requireNonNull(job, "job");
        return new Handle<>(this, this, reads, () -> ref, () -> ref);
    }

    @Override
    public <O extends @Nullable Object> JobHandle<O> job(JobType<?, O> type, String dedupeKey) {
        FindKeyed keyed = FindKeyed.of(type, Bounds.dedupeKey(dedupeKey));
        return new Handle<>(
                this,
                this,
                reads,
                () -> found(type, dedupeKey, reads.store().find(keyed)),
                () -> found(type, dedupeKey, target.find(keyed)));
    }

    private static <O extends @Nullable Object> JobRef<O> found(JobType<?, O> type, String key, Optional<Long> id) {
        return type.ref(id.orElseThrow(() -> new JobNotFoundException(type, key)));
    }

    @Override
    public <O extends @Nullable Object> ChainHandle<O> chain(ChainRef<O> chain) {
        return new Chain<>(this, reads, Objects.requireNonNull(chain, "chain"));
    }

    @Override
    public JobHandles jobs(Collection<? extends JobRef<?>> jobs) {
        return new Handles(this, jobs.stream().map(JobRef::id).toList(), Map.of(), false);
    }

    @Override
    public JobHandles jobsIfVersion(Map<? extends JobRef<?>, Long> versions) {
        Map<Long, Long> checked = new LinkedHashMap<>();
        versions.forEach((job, version) -> checked.put(job.id(), checked(version)));
        return new Handles(this, List.copyOf(checked.keySet()), checked, false);
    }

    @Override
    public Schedules schedules() {
        return new ScheduleVerbs(target, reads, author);
    }

    /** Applies a change to all of the jobs or to none; without jobs it does nothing. */
    BulkResult change(Change.Verb verb, List<Long> ids, UnaryOperator<Change.Builder> options) {
        if (ids.isEmpty()) {
            return new BulkResult(0, List.of());
        }
        ChangeResult result = target.change(options.apply(change(verb, ids)).build());
        return new BulkResult(result.count(), result.ids(), result.skipped());
    }

    private Change.Builder change(Change.Verb verb, List<Long> ids) {
        return Change.byId(verb, ids, author.actor())
                .reason(author.reason())
                .expected(expected == null ? Map.of() : Map.of(ids.get(0), expected));
    }

    /** Returns the options of a change that retries. */
    static UnaryOperator<Change.Builder> retrying(Retry how) {
        return change -> change.maxAttempts(how.maxAttempts())
                .fromStart(how.isFromStart())
                .withDependents(how.includesDependents());
    }

    /** Changes the metadata of a job by a merge patch. */
    void mergeMetadata(JobRef<?> job, Metadata patch) {
        ChangeResult unused = target.change(change(Change.Verb.MERGE_METADATA, List.of(job.id()))
                .metadata(patch)
                .build());
    }

    /** Sends an event to a job. */
    Signalled signal(JobRef<?> job, String name, @Nullable Object payload) {
        NameRule.check("event", name);
        String what = "the payload of signal '" + name + "'";
        Type type = payload == null ? Void.class : payload.getClass();
        return target.signal(new Signal(
                job.id(), name, AttemptSteps.inline(payloads.encode(payload, type, what), what), author, expected));
    }

    /** Completes a job without its handler. */
    <O extends @Nullable Object> void complete(JobRef<O> job, @Nullable O result) {
        String stored = payloads.place(payloads.encode(result, job.output(), "result"), target.blobs(), "result");
        boolean done = false;
        try {
            finish(Change.Verb.COMPLETE, job, stored, null, null);
            done = true;
        } finally {
            if (!done) {
                drop(stored);
            }
        }
    }

    /** Completes a job without its handler, and enqueues the next job of its chain. */
    <O extends @Nullable Object, N extends @Nullable Object> JobRef<N> complete(
            JobRef<O> job, @Nullable O result, JobRequest<?, N> next) {
        checkNext(declaring(job), next);
        // The result and the input are checked before either is written, including long ones.
        Encoded end = payloads.encode(result, job.output(), "result");
        Encoded begin = encode(next);
        String stored = payloads.place(end, target.blobs(), "result");
        JobRow row = null;
        boolean done = false;
        Traces.Enqueue trace = traces.enqueuing(next);
        try {
            row = row(trace.traced(next), begin);
            ChangeResult written = target.change(change(Change.Verb.COMPLETE, List.of(job.id()))
                    .result(stored)
                    .next(row)
                    .build());
            done = true;
            long there = Objects.requireNonNull(written.next(), "a chain that continues has a next job");
            trace.written(List.of(there));
            return next.type().ref(there);
        } catch (Throwable e) {
            trace.failed(e);
            throw e;
        } finally {
            if (!done) {
                drop(stored);
                drop(row == null ? null : row.payload());
            }
        }
    }

    /**
     * Returns the type of the reference if it declares next types and the job has it. A reference by the key of a chain has the type of the first job,
     * which the last job need not have.
     */
    private @Nullable JobType<?, ?> declaring(JobRef<?> job) {
        JobType<?, ?> type = job.type();
        return type == null
                        || type.next().isEmpty()
                        || reads.store()
                                .outcome(job.id())
                                .filter(stored -> !type.isNamed(stored.type()))
                                .isPresent()
                ? null
                : type;
    }

    /** Throws if the next job of a chain has a dedupe key of its own, or if the type, if known, declares other types to follow. */
    public static void checkNext(@Nullable JobType<?, ?> type, JobRequest<?, ?> next) {
        if (type != null && !type.allowsNext(next.type())) {
            throw new InvalidRequestException("job type '%s' cannot continue with '%s': only with %s"
                    .formatted(
                            type.name(),
                            next.type().name(),
                            type.next().stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "))));
        }
        Dedupe dedupe = next.dedupe();
        if (dedupe != null) {
            throw new InvalidRequestException(
                    "dedupe key '%s' is not allowed: the next job of a chain cannot have a dedupe key of its own"
                            .formatted(dedupe.key()));
        }
    }

    /** Drops a separately stored blob whose row was not written. */
    private void drop(@Nullable String stored) {
        BlobRef blob = BlobRef.of(stored);
        if (blob != null) {
            target.blobs().drop(blob.id());
        }
    }

    /** Fails a job without its handler. */
    void fail(JobRef<?> job, String errorCode, @Nullable String detail) {
        finish(Change.Verb.FAIL, job, null, ErrorCodes.check(errorCode), Texts.detail(detail));
    }

    private void finish(
            Change.Verb verb,
            JobRef<?> job,
            @Nullable String result,
            @Nullable String errorCode,
            @Nullable String detail) {
        target.change(change(verb, List.of(job.id()))
                .error(errorCode, detail)
                .result(result)
                .build());
    }

    public static <O extends @Nullable Object> Enqueued<O> enqueued(JobRequest<?, O> job, EnqueuedJob written) {
        return Enqueued.of(job.type(), written.id(), written.state(), written.deduplicated());
    }

    private Encoded encode(JobRequest<?, ?> job) {
        return encode(payloads, job);
    }

    /** Checks and encodes the payload of a job. */
    public static Encoded encode(Payloads payloads, JobRequest<?, ?> job) {
        payloads.check(job.type());
        return payloads.encode(job.input(), job.type().input(), "payload");
    }

    /** Returns the row of a new job. Encodes the payload, and writes it separately if it is too long for the row. */
    public JobRow row(JobRequest<?, ?> job) {
        return row(job, encode(job));
    }

    public JobRow row(JobRequest<?, ?> job, Encoded payload) {
        return row(job, payloads.place(payload, target.blobs(), "payload"), author.actor());
    }

    /**
     * Returns the row of a new job.
     *
     * @param payload the text that the row stores
     */
    public static JobRow row(JobRequest<?, ?> job, @Nullable String payload, String actor) {
        Duration delay = job.delay();
        Instant runAt = job.runAt();
        Duration timeout = job.timeout();
        RetryPolicy retry = job.retry();
        Duration wait = job.externalCompletion();
        return JobRow.of(job.type().name(), job.queue(), job.maxAttempts(), actor)
                .name(job.name())
                .payload(payload)
                .priority(job.priority())
                .delayMillis(delay == null || delay.isNegative() || delay.isZero() ? null : delay.toMillis())
                .runAtMillis(runAt == null ? null : runAt.toEpochMilli())
                .timeoutMillis(timeout == null ? null : timeout.toMillis())
                .retryPolicy(retry == null ? null : retry.text())
                .tags(job.tags().stream().sorted().toList())
                .metadata(
                        job.metadata().equals(Metadata.none())
                                ? null
                                : job.metadata().json())
                .parents(job.parents())
                .traceparent(job.traceparent())
                .dedupe(job.dedupe())
                .concurrencyKey(job.concurrencyKey())
                .waitMillis(wait == null ? null : wait.toMillis())
                .beginsChain(job.beginsChain())
                .build();
    }
}
