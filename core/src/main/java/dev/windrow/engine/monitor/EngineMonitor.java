package dev.windrow.engine.monitor;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.TimeSource;
import dev.windrow.engine.Answers;
import dev.windrow.engine.NameRule;
import dev.windrow.engine.retention.DeadLetterRetries;
import dev.windrow.engine.worker.WorkerGroup;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.AuditQuery;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.Monitor;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.SuggestField;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.monitor.WindrowListener;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.query.JobQuery;
import dev.windrow.store.Author;
import dev.windrow.store.OpenStore;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.monitor.RecordReveal;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The state of the store and of this process. */
public record EngineMonitor(
        OpenStore store,
        TimeSource time,
        WorkerGroup running,
        List<DeadLetterRetries> deadLetterRetries,
        Listeners listeners,
        Author author)
        implements Monitor {
    private static final int MOST_DETAILS = 10;

    @Override
    public Instant now() {
        return Instant.ofEpochMilli(store.nowMillis());
    }

    @Override
    public Statistics statistics() {
        return store.statistics();
    }

    @Override
    public Throughput throughput(Duration window, ThroughputFilter filter) {
        if (window.compareTo(Throughput.SHORTEST) < 0 || window.compareTo(Throughput.LONGEST) > 0) {
            throw new InvalidRequestException("window of throughput %s is not allowed: %s to %s"
                    .formatted(
                            Durations.text(window),
                            Durations.text(Throughput.SHORTEST),
                            Durations.text(Throughput.LONGEST)));
        }
        return store.throughput(window, Objects.requireNonNull(filter, "filter"));
    }

    @Override
    public List<String> suggest(SuggestField field, String prefix, int limit) {
        Objects.requireNonNull(field, "field");
        int max = Bounds.range("limit", limit, 1, 100);
        return NameRule.isStorable(prefix) ? store.suggest(field, prefix, max) : List.of();
    }

    @Override
    public List<WorkerInfo> workers() {
        return store.workers();
    }

    @Override
    public Health health() {
        List<Health.Task> tasks = new ArrayList<>(running.tasks());
        deadLetterRetries.forEach(deadLetterRetry -> tasks.add(deadLetterRetry.task()));
        tasks.addAll(store.tasks());
        return new Health(tasks);
    }

    @Override
    public Diagnosis diagnose(DiagnoseOptions options) {
        return store.diagnose(new DiagnoseRequest(time, options));
    }

    @Override
    public AuditQuery audit(AuditFilter filter) {
        return new AuditListing(store, Objects.requireNonNull(filter, "filter"), null, JobQuery.DEFAULT_LIMIT);
    }

    @Override
    public void recordReveal(Collection<? extends JobRef<?>> jobs, Map<String, String> detail) {
        Map<String, String> kept = new LinkedHashMap<>(detail);
        if (jobs.isEmpty() && kept.isEmpty()) {
            throw new InvalidRequestException("a reveal of nothing cannot be recorded: give jobs or a detail");
        }
        Bounds.range("number of details", kept.size(), 0, MOST_DETAILS);
        kept.forEach((name, value) -> NameRule.detail(name, value));
        List<Long> ids = jobs.stream().map(JobRef::id).distinct().toList();
        Answers.get(store, new RecordReveal(ids, kept, author));
    }

    @Override
    public void addListener(WindrowListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public void removeListener(WindrowListener listener) {
        listeners.remove(listener);
    }
}
