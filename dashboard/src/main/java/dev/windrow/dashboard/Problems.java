package dev.windrow.dashboard;

import dev.windrow.ChangedMeanwhileException;
import dev.windrow.IncompatibleStoreException;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobNotFoundException;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TransitionRefusedException;
import dev.windrow.WindrowException;
import dev.windrow.schedule.ScheduleNotFoundException;
import dev.windrow.wire.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns each exception into a problem. Texts that the engine writes for callers are passed on. Of any other exception the client gets an id only, which is
 * in the log beside the exception.
 */
final class Problems {
    /** An outage of the store is logged once in this time, however many tabs poll. */
    private static final Duration LOG_EVERY = Duration.ofSeconds(10);

    /** The text of the stores, which names the holder. */
    private static final Pattern KEY_HELD =
            Pattern.compile("(job [0-9]+ cannot be retried: )job ([0-9]+)( holds its dedupe key .*)", Pattern.DOTALL);

    private record Outage(String id, long at) {}

    private final BiConsumer<String, Throwable> log;
    private final AtomicReference<@Nullable Outage> outage = new AtomicReference<>();

    Problems(BiConsumer<String, Throwable> log) {
        this.log = log;
    }

    Problem of(Exception e, @Nullable Call call) {
        if (e instanceof Problem problem) {
            return problem;
        }
        if (call != null && call.hasChanged() && e instanceof WindrowException) {
            log.accept("a change was made, and what followed failed", e);
            return new Problem(
                            ProblemKind.OUTCOME_UNKNOWN,
                            "a change was made, and an error followed; read the state before another try")
                    .with(
                            "ids",
                            call.path().has("id")
                                    ? List.of(String.valueOf(call.path().id("id")))
                                    : List.of());
        }
        if (e instanceof InvalidRequestException) {
            return Problem.invalid(message(e));
        }
        if (e instanceof JobNotFoundException || e instanceof ScheduleNotFoundException) {
            return Problem.notFound(message(e));
        }
        if (e instanceof ChangedMeanwhileException changed) {
            return changed(changed, call);
        }
        if (e instanceof TransitionRefusedException) {
            return refused(message(e), call);
        }
        if (e instanceof OutcomeUnknownException unknown) {
            log.accept("outcome unknown", e);
            return new Problem(
                            ProblemKind.OUTCOME_UNKNOWN,
                            "the store failed while it committed the change; read the jobs to see if it was made")
                    .with("ids", unknown.ids().stream().map(String::valueOf).toList());
        }
        if (e instanceof StoreUnavailableException || e instanceof IncompatibleStoreException) {
            return new Problem(
                            ProblemKind.STORE_UNAVAILABLE,
                            "the store is not available, and nothing was changed; try again, and look for the id in the log of the server")
                    .with("id", outage(e))
                    .header("Retry-After", "1");
        }
        String id = newId();
        log.accept("unexpected error " + id, e);
        return new Problem(
                        ProblemKind.INTERNAL,
                        "an unexpected error; look for the id in the log of the server, and read the state before another try")
                .with("id", id);
    }

    /** Adds the version and the state of the job of the path, or those of each job that has changed. */
    private static Problem changed(ChangedMeanwhileException e, @Nullable Call call) {
        Problem problem = new Problem(ProblemKind.CHANGED_MEANWHILE, message(e));
        List<ChangedMeanwhileException.Job> jobs = e.jobs();
        if (call != null && call.path().has("id") && jobs.size() == 1) {
            return problem.with("version", String.valueOf(jobs.get(0).actual()))
                    .with("state", jobs.get(0).state().name());
        }
        return problem.with(
                "jobs",
                jobs.stream()
                        .map(job -> new JsonObject()
                                .id("id", job.id())
                                .id("version", job.actual())
                                .put("state", job.state().name()))
                        .toList());
    }

    private static String message(Exception e) {
        return String.valueOf(e.getMessage());
    }

    private String outage(Exception e) {
        Outage last = outage.get();
        long now = System.nanoTime();
        if (last != null && now - last.at < LOG_EVERY.toNanos()) {
            return last.id;
        }
        Outage begun = new Outage(newId(), now);
        outage.set(begun);
        log.accept("store not available " + begun.id, e);
        return begun.id;
    }

    private static String newId() {
        return UUID.randomUUID().toString().substring(0, 8);
    }

    /** Adds the job that holds a dedupe key if the sender sees it, or the state of the job of the path. */
    private static Problem refused(String message, @Nullable Call call) {
        Matcher held = KEY_HELD.matcher(message);
        if (call != null && held.matches()) {
            long holder = Long.parseLong(held.group(2));
            return call.access().queues() == null || Visible.sees(call.access(), call.windrow(), holder)
                    ? new Problem(ProblemKind.DEDUPE_KEY_HELD, message).with("job", String.valueOf(holder))
                    : new Problem(
                            ProblemKind.DEDUPE_KEY_HELD, held.group(1) + "a job that you do not see" + held.group(3));
        }
        Problem problem = new Problem(ProblemKind.TRANSITION_REFUSED, message);
        if (call != null && call.path().has("id")) {
            try {
                return problem.with("state", call.job().state().name());
            } catch (WindrowException e) {
                // The job was deleted meanwhile, or cannot be read: the message is enough.
            }
        }
        return problem;
    }
}
