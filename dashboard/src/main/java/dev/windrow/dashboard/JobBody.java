package dev.windrow.dashboard;

import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.workflow.ParentPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The description of a new job in a body, with the keys of a line of {@code enqueue --file}. */
final class JobBody {
    /** The type of jobs that run a process. */
    private static final String EXEC = "exec";

    private static final String LONGEST = "3650d";

    /** The reason of a change, for the audit. */
    static final Field REASON = Field.text("reason", 500, "The reason of the change, for the audit.");

    /** The fields of a job that a schedule may enqueue. */
    static final List<Field> PLAIN = List.of(
            type().required(),
            Field.json("payload", "The input of the job: any JSON value, stored unchanged; default none."),
            Field.text("queue", 100, "The queue, default `default`."),
            Field.integer("priority", Short.MIN_VALUE, Short.MAX_VALUE, "A higher one runs first, default 0."),
            Field.integer("maxAttempts", 1, 1000, "The maximum number of attempts, default 3."),
            Field.duration("timeout", "1ms", LONGEST, "The time limit of each attempt, default that of the worker."),
            Field.text("name", 200, "A label for humans."),
            Field.text("tags", 100, "Labels for lists.").upTo(20),
            Field.json("metadata", "A JSON object of up to 8 KiB and 64 names, which can be changed later."));

    /** The fields of a job, except its parents. */
    static final List<Field> SINGLE = Stream.concat(
                    PLAIN.stream(),
                    Stream.of(
                            Field.duration("delay", "0s", LONGEST, "How long the job waits before it is due."),
                            Field.instant("at", "The time at which the job is due."),
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
                            Field.text("concurrencyKey", 200, "Jobs with the same key share a limit."),
                            Field.integer(
                                    "concurrencyLimit",
                                    1,
                                    1_000_000,
                                    "How many jobs with the key run at once, default the stored limit."),
                            Field.text(
                                    "sequenceKey",
                                    200,
                                    "Jobs with the same key run one after the other, in their order."),
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
                    Stream.of(type()),
                    FIELDS.stream().skip(1),
                    Stream.of(
                            Field.object("jobs", FIELDS, "Up to 1000 jobs, enqueued in one transaction: all or none.")
                                    .upTo(1000),
                            REASON))
            .flatMap(fields -> fields)
            .toList();

    private JobBody() {}

    private static Field type() {
        return Field.text("type", 100, "The type of the job.");
    }

    /** Returns a job for these values, if the sender may enqueue it. */
    static JobRequest<Json, Json> request(Call call, String at, Values values) {
        try {
            JobRequest<Json, Json> request = build(at, values);
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

    private static JobRequest<Json, Json> build(String at, Values values) {
        if (values.has("delay") && values.has("at")) {
            throw Problem.invalid(at + "delay and at do not go together: each sets the time of the job");
        }
        JobRequest<Json, Json> job = JobType.raw(values.some("type")).job(values.json("payload"));
        job = values.<JobRequest<Json, Json>, String>given(job, "queue", JobRequest::withQueue);
        job = values.<JobRequest<Json, Json>, Long>given(job, "priority", (some, n) -> some.withPriority(n.intValue()));
        job = values.<JobRequest<Json, Json>, Duration>given(job, "delay", JobRequest::withDelay);
        job = values.<JobRequest<Json, Json>, Instant>given(job, "at", JobRequest::withRunAt);
        job = values.<JobRequest<Json, Json>, Long>given(
                job, "maxAttempts", (some, n) -> some.withMaxAttempts(n.intValue()));
        job = values.<JobRequest<Json, Json>, Duration>given(job, "timeout", JobRequest::withTimeout);
        job = values.<JobRequest<Json, Json>, String>given(job, "name", JobRequest::withName);
        job = values.<JobRequest<Json, Json>, List<String>>given(
                job, "tags", (some, tags) -> some.withTags(tags.toArray(String[]::new)));
        job = values.<JobRequest<Json, Json>, Json>given(
                job, "metadata", (some, json) -> some.withMetadata(Metadata.parse(json.text())));
        Dedupe dedupe = dedupe(at, values);
        job = dedupe == null ? job : job.withDedupe(dedupe);
        ConcurrencyKey key = concurrencyKey(at, values);
        job = key == null ? job : job.withConcurrencyKey(key);
        job = values.<JobRequest<Json, Json>, Duration>given(job, "external", JobRequest::withExternalCompletion);
        List<Long> parents = values.list("dependsOn");
        return parents.isEmpty()
                ? job
                : job.withParents(
                        policy(values), parents.stream().map(JobRef::raw).toList());
    }

    static ParentPolicy policy(Values values) {
        ParentPolicy policy = values.choice("onParentFailure");
        return policy == null ? ParentPolicy.WAIT : policy;
    }

    private static @Nullable ConcurrencyKey concurrencyKey(String at, Values values) {
        String key = values.text("concurrencyKey");
        String sequence = values.text("sequenceKey");
        Long limit = values.number("concurrencyLimit");
        if (limit != null && key == null) {
            throw needs(at, "concurrencyLimit", "concurrencyKey");
        }
        if (sequence != null) {
            if (key != null) {
                throw Problem.invalid(
                        at + "concurrencyKey and sequenceKey do not go together: a job has only one of them");
            }
            return ConcurrencyKey.inSequence(sequence);
        }
        return key == null
                ? null
                : limit == null ? ConcurrencyKey.of(key) : ConcurrencyKey.atMost(key, limit.intValue());
    }

    private static @Nullable Dedupe dedupe(String at, Values values) {
        String key = values.text("dedupeKey");
        Dedupe.Scope scope = values.choice("dedupeScope");
        Dedupe.Strategy strategy = values.choice("dedupeStrategy");
        Duration window = values.duration("dedupeWindow");
        if (key == null) {
            for (String other : List.of("dedupeScope", "dedupeStrategy", "dedupeWindow")) {
                if (values.has(other)) {
                    throw needs(at, other, "dedupeKey");
                }
            }
            return null;
        }
        boolean timed = scope == Dedupe.Scope.WINDOW
                || strategy == Dedupe.Strategy.DEBOUNCE
                || strategy == Dedupe.Strategy.THROTTLE;
        if (timed != (window != null)) {
            throw Problem.invalid(at
                    + "dedupeWindow is for the scope window and the strategies debounce and throttle, which need it");
        }
        Dedupe dedupe = Dedupe.key(key);
        if (scope != null) {
            dedupe = switch (scope) {
                case UNTIL_STARTED -> dedupe.untilStarted();
                case UNFINISHED -> dedupe.unfinished();
                case WINDOW -> dedupe.within(Objects.requireNonNull(window));
                case ANY -> dedupe.forEver();
            };
        }
        return strategy == null
                ? dedupe
                : switch (strategy) {
                    case KEEP -> dedupe.keep();
                    case REPLACE -> dedupe.replace();
                    case DEBOUNCE -> dedupe.debounce(Objects.requireNonNull(window));
                    case THROTTLE -> dedupe.throttle(Objects.requireNonNull(window));
                };
    }

    private static Problem needs(String at, String field, String other) {
        return Problem.invalid("%s%s needs %s".formatted(at, field, other));
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
