package dev.windrow.engine.step;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobHistory.StepKind;
import dev.windrow.JobHistory.StepState;
import dev.windrow.JobPark;
import dev.windrow.JobSnooze;
import dev.windrow.TransactionWork;
import dev.windrow.TransitionRefusedException;
import dev.windrow.WindrowException;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.NameRule;
import dev.windrow.engine.payload.Encoded;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.engine.worker.Attempt;
import dev.windrow.payload.Content;
import dev.windrow.payload.Json;
import dev.windrow.step.StepWork;
import dev.windrow.store.OpenStore;
import dev.windrow.store.step.StepAnswer;
import dev.windrow.store.step.StepWrite;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The durable steps of one attempt. For a step that was done before, it returns the stored result; it runs and writes a
 * new one. Created for handlers that have steps.
 */
public final class AttemptSteps {
    /** The longest result of a step, or payload of a signal, in bytes of UTF-8. Their rows store them. */
    static final int MAX_BYTES = 1 << 20;

    private static final Duration LONGEST = Duration.ofDays(3650);
    /** The shortest wait for an event. */
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

    private final Attempt attempt;
    private final EngineContext context;
    /** The current step; one at a time. */
    private final AtomicReference<@Nullable String> current = new AtomicReference<>();
    // The thread that has set the current step owns these fields.
    private @Nullable Map<String, JobHistory.Step> stored;
    private boolean uncertain;
    private final Set<String> seen = new HashSet<>();

    private volatile @Nullable Pause pause;

    /**
     * The pause by which a step ends the attempt.
     *
     * @param thrown the exception that the handler must let pass
     * @param untilMillis the end of the sleep, or of the time for the event
     * @param event the name of the event; null for a sleep
     */
    public record Pause(
            RuntimeException thrown,
            long untilMillis,
            @Nullable String event) {}

    /** Writes a step, in a transaction of the store or of the caller. */
    private interface Writer {
        Optional<StepAnswer> write(StepWrite step);
    }

    /** Rolls back the work of a step that was done already. This attempt had not received the result of that commit. */
    private static final class DoneBefore extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient JobHistory.Step step;

        DoneBefore(JobHistory.Step step) {
            super("step '" + step.name() + "' was done before", null, false, false);
            this.step = step;
        }
    }

    public AttemptSteps(Attempt attempt, EngineContext context) {
        this.attempt = attempt;
        this.context = context;
    }

    /** Returns the pause that a step has requested; null if none has. */
    @Nullable public Pause pause() {
        return pause;
    }

    /** Checks the name of a step by the rule that applies to events as well. */
    public static String checkName(String name) {
        return NameRule.check("step", name);
    }

    /** Checks and returns the JSON text that a row stores, or null. */
    public static @Nullable String inline(Encoded encoded, String what) {
        String text = encoded.text();
        if (encoded.content() != null) {
            throw new InvalidRequestException("%s that is a Content is not allowed: JSON only".formatted(what));
        }
        if (text != null && Payloads.bytes(text) > MAX_BYTES) {
            throw new InvalidRequestException(
                    "%s of %d bytes is not allowed: at most %d".formatted(what, Payloads.bytes(text), MAX_BYTES));
        }
        return text;
    }

    /** Runs work, and writes its step alone in a transaction of the store. */
    public <T extends @Nullable Object, E extends Exception> T step(
            String name, Class<T> type, StepWork<? extends T, E> work) throws E {
        requireNoTransaction(name);
        return step(name, type, work, this::writeAlone);
    }

    /** Runs work, and writes its step in the caller's transaction. */
    public <T extends @Nullable Object, E extends Exception> T step(
            Connection connection, String name, Class<T> type, StepWork<? extends T, E> work) throws E {
        return step(name, type, work, step -> {
            Optional<StepAnswer> written = store().apply(connection, step);
            if (written.isPresent() && !written.get().isNew()) {
                throw new TransitionRefusedException(
                        "step '%s' of %s was done before: roll back".formatted(name, attempt));
            }
            return written;
        });
    }

    /** Runs work in a transaction of the store, together with its step. */
    public <T extends @Nullable Object, E extends Exception> T stepInTransaction(
            String name, Class<T> type, TransactionWork<? extends T, E> work) throws E {
        context.payloads().check(type, "result of step '%s'", name);
        begin(name);
        try {
            JobHistory.Step done = stored(name, StepKind.STEP);
            if (done != null) {
                seen.add(name);
                return decoded(done, type);
            }
            long began = now();
            T result = store().inTransaction(connection -> {
                T answer = work.run(connection);
                StepAnswer written = write(work(name, began, answer, type), step -> store().apply(connection, step));
                if (!written.isNew()) {
                    throw new DoneBefore(written.step());
                }
                return answer;
            });
            seen.add(name);
            return result;
        } catch (DoneBefore e) {
            seen.add(name);
            return decoded(e.step, type);
        } finally {
            current.set(null);
        }
    }

    private <T extends @Nullable Object, E extends Exception> T step(
            String name, Class<T> type, StepWork<? extends T, E> work, Writer writer) throws E {
        context.payloads().check(type, "result of step '%s'", name);
        begin(name);
        try {
            JobHistory.Step done = stored(name, StepKind.STEP);
            if (done != null) {
                seen.add(name);
                return decoded(done, type);
            }
            long began = now();
            T result = work.run();
            StepAnswer written = write(work(name, began, result, type), writer);
            seen.add(name);
            return written.isNew() ? result : decoded(written.step(), type);
        } finally {
            current.set(null);
        }
    }

    public void sleep(String name, Duration duration) {
        if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
            throw notAllowed("sleep", duration, Duration.ZERO);
        }
        JobHistory.Step step = waited(name, StepKind.SLEEP, duration);
        if (step.state() == StepState.WAITING) {
            throw pauses(JobSnooze.until(until(step)), step, null);
        }
    }

    public <T> Optional<T> awaitEvent(String name, Class<T> type, Duration timeout) {
        JobHistory.Step step = awaited(name, timeout);
        if (step.state() == StepState.TIMED_OUT) {
            return Optional.empty();
        }
        T payload = decoded(step, type);
        if (payload == null) {
            throw new InvalidRequestException(
                    "event '%s' of %s has no payload, but a %s is awaited: await it without a type"
                            .formatted(name, attempt, type.getTypeName()));
        }
        return Optional.of(payload);
    }

    public boolean awaitEvent(String name, Duration timeout) {
        return awaited(name, timeout).state() == StepState.DONE;
    }

    private JobHistory.Step awaited(String name, Duration timeout) {
        if (timeout.compareTo(LONGEST) > 0 || timeout.compareTo(SHORTEST_WAIT) < 0) {
            throw notAllowed("time for an event", timeout, SHORTEST_WAIT);
        }
        JobHistory.Step step = waited(name, StepKind.EVENT, timeout);
        if (step.state() == StepState.WAITING) {
            long left = until(step).toEpochMilli() - now();
            throw pauses(JobPark.forAtMost(Duration.ofMillis(Math.max(1, left))), step, name);
        }
        return step;
    }

    private static InvalidRequestException notAllowed(String what, Duration duration, Duration least) {
        return new InvalidRequestException("%s %s is not allowed: %s to %s"
                .formatted(what, Durations.text(duration), Durations.text(least), Durations.text(LONGEST)));
    }

    private RuntimeException pauses(RuntimeException thrown, JobHistory.Step step, @Nullable String event) {
        pause = new Pause(thrown, until(step).toEpochMilli(), event);
        return thrown;
    }

    private static Instant until(JobHistory.Step step) {
        return Objects.requireNonNull(step.until(), "a waiting step has an end");
    }

    /** Returns the state of a sleep or an event by the store's clock; begins it if it is new. */
    private JobHistory.Step waited(String name, StepKind kind, Duration duration) {
        requireNoTransaction(name);
        begin(name);
        try {
            JobHistory.Step step = stored(name, kind);
            if (step == null || step.state() == StepState.WAITING) {
                StepWrite wanted = StepWrite.waits(attempt.leaseToken(), name, kind, duration, now());
                step = write(wanted, this::writeAlone).step();
            }
            seen.add(name);
            return step;
        } finally {
            current.set(null);
        }
    }

    private void requireNoTransaction(String name) {
        if (store().isInTransaction()) {
            throw new InvalidRequestException(
                    "step '%s' of %s is not allowed inside a transaction, because it would wait for that transaction: use on(connection).step"
                            .formatted(name, attempt));
        }
    }

    /** Makes this the current step; the caller must clear it in any case. */
    private void begin(String name) {
        checkName(name);
        Pause asked = pause;
        if (asked != null) {
            throw asked.thrown();
        }
        if (attempt.isEnded() || attempt.inTransaction() != null) {
            throw new InvalidRequestException("step '%s': %s has ended".formatted(name, attempt));
        }
        if (attempt.reason() == Attempt.Reason.LOST) {
            throw lost(name);
        }
        String other = current.compareAndExchange(null, name);
        if (other != null) {
            throw new InvalidRequestException(
                    "step '%s' is not allowed while step '%s' of %s runs: run one after the other"
                            .formatted(name, other, attempt));
        }
        if (seen.contains(name)) {
            current.set(null);
            throw new InvalidRequestException(
                    "step '%s' of %s was called twice: each step needs its own name".formatted(name, attempt));
        }
    }

    /** Returns a step of an earlier attempt; null if none exists. The steps are read once. */
    private JobHistory.@Nullable Step stored(String name, StepKind kind) {
        Map<String, JobHistory.Step> known = stored;
        if (known == null) {
            known = new HashMap<>();
            // Before the first claim of a job no attempt has written steps. The store itself knows the events that have
            // arrived.
            if (attempt.job().token() > 1 || uncertain) {
                for (JobHistory.Step step : store().steps(attempt.id())) {
                    known.put(step.name(), step);
                }
            }
            stored = known;
        }
        JobHistory.Step step = known.get(name);
        if (step != null && step.kind() != kind) {
            throw new InvalidRequestException(StepWrite.otherKind(attempt.id(), name, kind, step.kind()));
        }
        return step;
    }

    private <T extends @Nullable Object> StepWrite work(String name, long began, T result, Class<T> type) {
        Json json = json(result, type, name);
        return StepWrite.work(attempt.leaseToken(), name, json == null ? null : json.text(), began);
    }

    private <T extends @Nullable Object> @Nullable Json json(T result, Class<T> type, String name) {
        String what = "the result of step '" + name + "'";
        String text = inline(context.payloads().encode(result, type, what), what);
        return text == null ? null : new Json(text);
    }

    private Optional<StepAnswer> writeAlone(StepWrite step) {
        // An interrupt does not end this wait: the work is done, and its write must not remain unknown.
        return Answers.getCalmly(store(), step);
    }

    private StepAnswer write(StepWrite step, Writer writer) {
        boolean done = false;
        try {
            StepAnswer written = writer.write(step).orElseThrow(() -> lost(step.name()));
            done = true;
            return written;
        } finally {
            if (!done) {
                // The step may be written nevertheless. It is read again when the handler retries.
                uncertain = true;
                stored = null;
            }
        }
    }

    private TransitionRefusedException lost(String name) {
        return new TransitionRefusedException(
                "%s is not held by this attempt any more: step '%s' is not written".formatted(attempt, name));
    }

    // The codec decodes to this class. A cast by the class itself would refuse primitives. A null result stays null.
    @SuppressWarnings({"unchecked", "NullAway"})
    private <T extends @Nullable Object> T decoded(JobHistory.Step step, Class<T> type) {
        Json result = step.result();
        if (type == Content.class) {
            throw new InvalidRequestException("step '%s': a Content is not allowed: JSON only".formatted(step.name()));
        }
        try {
            return (T) context.payloads().decode(result == null ? null : result.text(), type);
        } catch (WindrowException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new InvalidRequestException(
                    "the stored result of step '%s' of %s does not fit %s: %s"
                            .formatted(step.name(), attempt, type.getTypeName(), e),
                    e);
        }
    }

    private long now() {
        return context.time().now().toEpochMilli();
    }

    private OpenStore store() {
        return context.store();
    }
}
