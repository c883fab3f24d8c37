package dev.windrow.telemetry;

import dev.windrow.JobState;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.monitor.WindrowListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts and times the events of this process, in one registry. */
final class EventMeters implements WindrowListener {
    /**
     * The buckets of waits and runs. They are few, not a hundred for each type, but enough for percentiles from
     * milliseconds to hours.
     */
    private static final Duration[] LONG = {
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofMillis(2500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofMinutes(2),
        Duration.ofMinutes(10),
        Duration.ofHours(1)
    };

    private static final Duration[] SHORT = {
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5)
    };

    private final MeterRegistry registry;
    private final Map<Meter.Id, Meter> made = new ConcurrentHashMap<>();
    private final TagValues types = new TagValues();
    private final TagValues queues = new TagValues();
    private final TagValues codes = new TagValues();
    private final Counter enqueued;
    private final Counter reclaimed;
    private final Timer claim;
    private final Timer claimFailed;
    private final DistributionSummary claimJobs;
    private final Timer commit;
    private final DistributionSummary commitOperations;
    // Each meter once, used only by the listeners' thread, because a look-up in the registry makes garbage.
    private final Map<Key, Timer> timers = new ConcurrentHashMap<>();
    private final Map<Key, Counter> counters = new ConcurrentHashMap<>();

    /**
     * One meter of a name.
     *
     * @param name the metric
     * @param first the value of its first tag
     * @param second the value of its second tag, or an empty text
     * @param third the value of its third tag, or an empty text
     */
    private record Key(String name, String first, String second, String third) {}

    EventMeters(MeterRegistry registry) {
        this.registry = registry;
        this.enqueued = keep(Counter.builder(MetricNames.ENQUEUED)
                .description("Jobs that this process has enqueued, without jobs in transactions of the application")
                .register(registry));
        this.reclaimed = keep(Counter.builder(MetricNames.RECLAIMED)
                .description("Jobs of dead workers that this process has reclaimed")
                .register(registry));
        this.claim = claim(MetricNames.SUCCEEDED);
        this.claimFailed = claim(MetricNames.FAILED_OUTCOME);
        this.claimJobs = keep(DistributionSummary.builder(MetricNames.CLAIM_JOBS)
                .description("How many jobs each claim has brought")
                .register(registry));
        this.commit = keep(Timer.builder(MetricNames.COMMIT)
                .description("How long transactions of this process took, from their beginning to their end")
                .serviceLevelObjectives(SHORT)
                .register(registry));
        this.commitOperations = keep(DistributionSummary.builder(MetricNames.COMMIT_OPERATIONS)
                .description("How many verbs shared each transaction")
                .register(registry));
    }

    private Timer claim(String outcome) {
        return keep(Timer.builder(MetricNames.CLAIM)
                .description("How long claims of this process waited for their results or failures")
                .tag(MetricNames.OUTCOME, outcome)
                .serviceLevelObjectives(SHORT)
                .register(registry));
    }

    private <M extends Meter> M keep(M meter) {
        made.put(meter.getId(), meter);
        return meter;
    }

    @Override
    public void on(WindrowEvent event) {
        if (event instanceof WindrowEvent.AttemptStarted started) {
            timer(
                            MetricNames.WAIT,
                            "How long jobs were ready before an attempt of this process began",
                            queues.of(started.queue()),
                            types.of(started.type()),
                            "")
                    .record(started.waited());
        } else if (event instanceof WindrowEvent.AttemptEnded ended) {
            ended(ended);
        } else if (event instanceof WindrowEvent.JobsEnqueued jobs) {
            enqueued.increment(jobs.count());
        } else if (event instanceof WindrowEvent.JobsReclaimed jobs) {
            reclaimed.increment(jobs.count());
        } else if (event instanceof WindrowEvent.JobsClaimed jobs) {
            claim.record(jobs.took());
            claimJobs.record(jobs.count());
        } else if (event instanceof WindrowEvent.ClaimFailed failed) {
            claimFailed.record(failed.took());
        } else if (event instanceof WindrowEvent.TransactionCommitted transaction) {
            commit.record(transaction.took());
            commitOperations.record(transaction.operations());
        } else if (event instanceof WindrowEvent.AttemptLost lost) {
            counter(
                            MetricNames.LOST,
                            "Attempts whose jobs this process did not hold any more when they ended",
                            MetricNames.TYPE,
                            types.of(lost.type()))
                    .increment();
        } else if (event instanceof WindrowEvent.HandlerStuck stuck) {
            counter(
                            MetricNames.STUCK,
                            "Handlers that have ignored their interrupt for 10 s",
                            MetricNames.TYPE,
                            types.of(stuck.type()))
                    .increment();
        }
    }

    private void ended(WindrowEvent.AttemptEnded ended) {
        String type = types.of(ended.type());
        timer(
                        MetricNames.RUN,
                        "How long attempts of this process took, by how they ended",
                        queues.of(ended.queue()),
                        type,
                        ended.outcome().name())
                .record(ended.ran());
        if (ended.errorCode() != null) {
            counter(
                            MetricNames.FAILURES,
                            "Attempts of this process that have failed, by error code",
                            MetricNames.CODE,
                            codes.of(ended.errorCode()))
                    .increment();
            if (ended.state() == JobState.SCHEDULED) {
                counter(
                                MetricNames.RETRIES,
                                "Attempts of this process that have failed and are followed by another one",
                                MetricNames.TYPE,
                                type)
                        .increment();
            }
        }
    }

    private Timer timer(String name, String description, String queue, String type, String outcome) {
        return timers.computeIfAbsent(new Key(name, queue, type, outcome), key -> {
            Tags tags = Tags.of(MetricNames.QUEUE, queue, MetricNames.TYPE, type);
            return keep(Timer.builder(name)
                    .description(description)
                    .tags(outcome.isEmpty() ? tags : tags.and(MetricNames.OUTCOME, outcome))
                    .serviceLevelObjectives(LONG)
                    .register(registry));
        });
    }

    private Counter counter(String name, String description, String tag, String value) {
        return counters.computeIfAbsent(
                new Key(name, value, "", ""),
                key -> keep(Counter.builder(name)
                        .description(description)
                        .tag(tag, value)
                        .register(registry)));
    }

    void close() {
        made.values().forEach(registry::remove);
    }
}
