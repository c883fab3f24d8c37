package dev.windrow.dashboard;

import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRequest;
import dev.windrow.payload.Json;
import dev.windrow.wire.JobFields;
import dev.windrow.workflow.ParentPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The description of a new job in a body, with the keys of a line of {@code enqueue --file}. */
final class JobBody {
    /** The type of jobs that run a process. */
    private static final String EXEC = "exec";

    private static final String LONGEST = "3650d";

    /** The reason of a change, for the audit. */
    static final Field REASON = Field.text("reason", 500, "The reason of the change, for the audit.");

    /** The reason of an enqueue, which has no entry in the audit. */
    static final Field NO_REASON = Field.text("reason", 500, "Not stored: new jobs have no entry in the audit.");

    /** The fields of a job that a schedule may enqueue. */
    static final List<Field> PLAIN = List.of(
            Field.text("type", 100, "The type of the job.").required(),
            Field.json("payload", "The input of the job: any JSON value, stored unchanged; default none."),
            Field.text("queue", 100, "The queue, default `default`."),
            Field.integer("priority", Short.MIN_VALUE, Short.MAX_VALUE, "A higher one runs first, default 0."),
            Field.integer("maxAttempts", 1, 1000, "The maximum number of attempts, default 3."),
            Field.duration("timeout", "1ms", LONGEST, "The time limit of each attempt, default that of the worker."),
            Field.text(
                    "retryPolicy",
                    300,
                    "The delays before further attempts, in milliseconds: `exponential(1000,4.0,3600000,0.2)` (initial, factor, maximum, jitter), `fixed(1000)` or `delays(1000,5000)`; default that of the type."),
            Field.text("concurrencyKey", 200, "Jobs with the same key share a limit."),
            Field.integer(
                    "concurrencyLimit",
                    1,
                    1_000_000,
                    "How many jobs with the key run at once, default any number. The key's own limit applies, too."),
            Field.text("sequenceKey", 200, "Jobs with the same key run one after the other, in their order."),
            Field.text("name", 200, "A label of the jobs for humans."),
            Field.text("tags", 100, "Labels for lists.").upTo(20),
            Field.json("metadata", "A JSON object of up to 8 KiB and 64 names, which can be changed later."));

    /** The fields of a job, except its parents. */
    static final List<Field> SINGLE = Stream.concat(
                    PLAIN.stream(),
                    Stream.of(
                            Field.duration(
                                    "delay",
                                    "0s",
                                    LONGEST,
                                    "How long the job waits before it is due. Not with at or external."),
                            Field.instant("at", "The time at which the job is due. Not with external."),
                            Field.text("dedupeKey", 200, "At most one job of the type holds this key at a time."),
                            Field.choice(
                                    "dedupeScope",
                                    Dedupe.Scope.class,
                                    "How long the job holds its dedupe key, default unfinished."),
                            Field.choice(
                                    "dedupeStrategy",
                                    Dedupe.Strategy.class,
                                    "What happens to another job with the key, default keep."),
                            Field.duration(
                                    "dedupeWindow",
                                    "1ms",
                                    LONGEST,
                                    "The time of the scope window and of the strategies debounce and throttle."),
                            Field.duration(
                                    "external",
                                    "1ms",
                                    LONGEST,
                                    "The job waits so long for its completion from outside."),
                            Field.choice(
                                    "onParentFailure",
                                    ParentPolicy.class,
                                    "What happens if a parent ends without success, default wait.")))
            .toList();

    /** The fields of a job. */
    static final List<Field> FIELDS = Stream.concat(
                    SINGLE.stream(),
                    Stream.of(Field.id("dependsOn", "The job waits for these jobs.")
                            .upTo(10_000)))
            .toList();

    /** The fields of one job or of several jobs. */
    static final List<Field> ONE_OR_MANY = Stream.of(
                    Stream.of(Field.text("type", 100, "The type of the job. Required without `jobs`.")),
                    FIELDS.stream().skip(1),
                    Stream.of(
                            Field.object("jobs", FIELDS, "Up to 1000 jobs, enqueued in one transaction: all or none.")
                                    .upTo(1000),
                            NO_REASON))
            .flatMap(fields -> fields)
            .toList();

    private JobBody() {}

    /** Returns a job for these values, if the sender may enqueue it. */
    static JobRequest<Json, Json> request(Call call, String at, Values values) {
        try {
            JobRequest<Json, Json> request = JobFields.request(values::any, UnaryOperator.identity());
            checkExec(call, request.type().name());
            checkQueue(call, request.queue());
            return request;
        } catch (InvalidRequestException e) {
            throw Problem.invalid(at + e.getMessage());
        }
    }

    /** Refuses a job that runs a process, unless the options allow it. */
    static void checkExec(Call call, String type) {
        if (type.equals(EXEC) && !call.options().allowsExec()) {
            throw new Problem(
                            ProblemKind.FORBIDDEN,
                            "jobs of the type exec run a process, and this server does not allow to enqueue them")
                    .with("needs", "allow-exec");
        }
    }

    /** Refuses a queue that the sender does not see. */
    static void checkQueue(Call call, String queue) {
        if (!call.access().sees(queue)) {
            throw Problem.notFound("queue '%s' does not exist".formatted(queue));
        }
    }

    /**
     * Refuses jobs that would touch jobs that the sender does not see: a parent, or the holder of a dedupe key that is replaced or moved.
     */
    static void checkNeighbours(Call call, Collection<JobRequest<Json, Json>> requests) {
        if (call.access().queues() == null) {
            return;
        }
        List<Long> parents = new ArrayList<>();
        for (JobRequest<Json, Json> request : requests) {
            request.parents().forEach(parent -> parents.add(parent.id()));
            Dedupe dedupe = request.dedupe();
            if (dedupe != null && dedupe.strategy() != Dedupe.Strategy.KEEP) {
                var holder = call.windrow().job(request.type(), dedupe.key());
                if (holder.exists() && !call.access().sees(holder.info().queue())) {
                    throw Problem.invalid(
                            "dedupeStrategy: only keep is allowed for the dedupe key '%s', which a job that you do not see has"
                                    .formatted(dedupe.key()));
                }
            }
        }
        parents.stream().distinct().forEach(id -> call.job("parent", id));
    }
}
