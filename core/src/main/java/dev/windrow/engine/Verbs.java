package dev.windrow.engine;

import dev.windrow.Enqueued;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.Jobs;
import dev.windrow.NewJob;
import dev.windrow.RetryPolicy;
import dev.windrow.store.Change;
import dev.windrow.store.ChangeResult;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.JobRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The writing verbs, whoever commits what they write. */
final class Verbs implements Jobs {
    /** Where rows and changes go: a transaction of the store's, or the caller's. */
    interface Target {
        /** Where payloads go that are too long for a row. */
        Blobs.Target blobs();

        List<EnqueuedJob> enqueue(List<JobRow> rows);

        ChangeResult change(Change change);
    }

    private final Target target;
    private final Payloads payloads;
    private final String actor;

    Verbs(Target target, Payloads payloads, String actor) {
        this.target = target;
        this.payloads = payloads;
        this.actor = actor;
    }

    @Override
    public <I, O> Enqueued<O> enqueue(NewJob<I, O> job) {
        return enqueued(job, target.enqueue(List.of(row(job))).get(0));
    }

    @Override
    public List<Enqueued<?>> enqueueAll(Collection<? extends NewJob<?, ?>> jobs) {
        List<NewJob<?, ?>> ordered = List.copyOf(jobs);
        if (ordered.isEmpty()) {
            return List.of();
        }
        // All are checked before anything is written, long payloads included.
        List<Encoded> payloads = new ArrayList<>(ordered.size());
        for (NewJob<?, ?> job : ordered) {
            payloads.add(encode(job));
        }
        List<JobRow> rows = new ArrayList<>(ordered.size());
        for (int i = 0; i < ordered.size(); i++) {
            rows.add(row(ordered.get(i), payloads.get(i)));
        }
        List<EnqueuedJob> written = target.enqueue(rows);
        List<Enqueued<?>> answers = new ArrayList<>(written.size());
        for (int i = 0; i < written.size(); i++) {
            answers.add(enqueued(ordered.get(i), written.get(i)));
        }
        return answers;
    }

    @Override
    public void cancel(Collection<? extends JobRef<?>> jobs) {
        change(Change.Verb.CANCEL, jobs, null);
    }

    @Override
    public void retry(Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts) {
        change(Change.Verb.RETRY, jobs, attempts(maxAttempts));
    }

    @Override
    public void trigger(Collection<? extends JobRef<?>> jobs) {
        change(Change.Verb.TRIGGER, jobs, null);
    }

    @Override
    public void discard(Collection<? extends JobRef<?>> jobs) {
        change(Change.Verb.DISCARD, jobs, null);
    }

    private void change(Change.Verb verb, Collection<? extends JobRef<?>> jobs, @Nullable Integer maxAttempts) {
        List<Long> ids = jobs.stream().map(JobRef::id).toList();
        if (!ids.isEmpty()) {
            target.change(new Change(verb, ids, null, actor, maxAttempts, null, null, null, false));
        }
    }

    /** Checks a budget of attempts that an operator gives. */
    static @Nullable Integer attempts(@Nullable Integer maxAttempts) {
        if (maxAttempts != null && (maxAttempts < 1 || maxAttempts > 1000)) {
            throw new InvalidRequestException("max attempts %d is not allowed: 1 to 1000".formatted(maxAttempts));
        }
        return maxAttempts;
    }

    static <O> Enqueued<O> enqueued(NewJob<?, O> job, EnqueuedJob written) {
        return new Enqueued<>(job.type().ref(written.id()), written.state(), written.deduplicated());
    }

    private Encoded encode(NewJob<?, ?> job) {
        return payloads.encode(job.input(), job.type().input(), "payload");
    }

    /** The row of a new job, its payload encoded and, if it is too long for the row, written. */
    JobRow row(NewJob<?, ?> job) {
        return row(job, encode(job));
    }

    private JobRow row(NewJob<?, ?> job, Encoded payload) {
        Duration delay = job.delay();
        Instant runAt = job.runAt();
        Duration timeout = job.timeout();
        RetryPolicy retry = job.retry();
        return new JobRow(
                job.type().name(),
                job.queue(),
                job.name(),
                payloads.place(payload, target.blobs(), "payload"),
                job.priority(),
                delay == null || delay.isNegative() || delay.isZero() ? null : delay.toMillis(),
                runAt == null ? null : runAt.toEpochMilli(),
                job.maxAttempts(),
                timeout == null ? null : timeout.toMillis(),
                retry == null ? null : retry.encode(),
                job.tags().stream().sorted().toList(),
                job.parents(),
                job.traceparent(),
                job.dedupe(),
                job.concurrencyKey(),
                actor);
    }
}
