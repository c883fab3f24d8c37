package dev.windrow.dashboard;

import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.AuditPage;
import dev.windrow.monitor.AuditQuery;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Monitor;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.SuggestField;
import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.LimitJson;
import dev.windrow.wire.MonitorJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The handlers of the routes of statistics, workers, the audit and the diagnosis. */
final class MonitorRoutes {
    /** The number of jobs of each visible queue whose names are suggested. */
    private static final int NEWEST = 200;

    private MonitorRoutes() {}

    static Answer overview(Call call) {
        return Answer.json(call.overview().text(call.access()));
    }

    static Answer queues(Call call) {
        return Answer.of(
                call.overview().queues(call.access(), find(call), call.query().integer("limit")));
    }

    static Answer types(Call call) {
        return Answer.of(
                call.overview().types(call.access(), find(call), call.query().integer("limit")));
    }

    private static String find(Call call) {
        return call.query().has("find") ? call.query().some("find") : "";
    }

    static Answer statistics(Call call) {
        Windrow windrow = call.windrow();
        Monitor monitor = windrow.monitor();
        Statistics statistics = monitor.statistics();
        List<Limits> limits = windrow.limits();
        if (call.access().queues() == null) {
            return Answer.of(MonitorJson.statistics(
                    statistics,
                    monitor.throughput(window(call)),
                    limits,
                    windrow.retention().rules(),
                    windrow.retention().lastRun()));
        }
        return Answer.of(MonitorJson.statistics(call.overview().visible(call.access(), statistics, monitor.workers()))
                .list("limits", Visible.limits(call.access(), limits), LimitJson::limits));
    }

    static Answer throughput(Call call) {
        ThroughputFilter filter =
                call.query().<ThroughputFilter, String>given(ThroughputFilter.ALL, "type", ThroughputFilter::withType);
        String queue = Visible.queue(call.access(), call.query().text("queue"));
        filter = queue == null ? filter : filter.withQueue(queue);
        Throughput all = call.windrow().monitor().throughput(window(call), filter);
        Throughput first = new Throughput(
                all.window(), all.all(), busiest(all.types(), call.query().integer("limit")));
        return Answer.of((call.query().flag("timesOnly") ? MonitorJson.times(first) : MonitorJson.throughput(first))
                .put("typesInAll", all.types().size()));
    }

    /** Returns the types with the most ended attempts, in their order. */
    private static List<Throughput.OfType> busiest(List<Throughput.OfType> types, int most) {
        if (types.size() <= most) {
            return types;
        }
        Set<Throughput.OfType> first = types.stream()
                .sorted(Comparator.<Throughput.OfType>comparingLong(
                                type -> type.ends().ran().count())
                        .reversed())
                .limit(most)
                .collect(Collectors.toCollection(() -> Collections.newSetFromMap(new IdentityHashMap<>())));
        return types.stream().filter(first::contains).toList();
    }

    private static Duration window(Call call) {
        return Objects.requireNonNull(call.query().duration("window"));
    }

    static Answer failures(Call call) {
        return Answer.of(MonitorJson.failures(call.overview().statistics()));
    }

    static Answer workers(Call call) {
        List<WorkerInfo> alive = call.windrow().monitor().workers().stream()
                .filter(WorkerInfo::alive)
                .toList();
        return Answer.of(MonitorJson.workers(Visible.partsOf(call.access(), call.windrow(), alive)));
    }

    static Answer audit(Call call) {
        Values query = call.query();
        AuditFilter filter = AuditFilter.ALL;
        filter = query.<AuditFilter, String>given(filter, "action", AuditFilter::withAction);
        filter = query.<AuditFilter, String>given(filter, "actor", AuditFilter::withActor);
        filter = query.<AuditFilter, Long>given(filter, "job", (some, id) -> some.withJob(JobRef.raw(id)));
        filter = query.given(filter, "from", AuditFilter::withFrom);
        filter = query.given(filter, "before", AuditFilter::withBefore);
        Long job = filter.job();
        boolean hidden =
                job != null && call.access().queues() != null && !Visible.sees(call.access(), call.windrow(), job);
        AuditPage page = hidden ? new AuditPage(List.of(), null) : audit(call, filter);
        call.revealsMetadata(page.entries());
        return Answer.of(MonitorJson.audit(page));
    }

    private static AuditPage audit(Call call, AuditFilter filter) {
        AuditQuery all = call.windrow().monitor().audit(filter);
        int limit = call.query().integer("limit");
        Long next = call.query().number("after");
        List<AuditEntry> entries = new ArrayList<>();
        do {
            AuditPage page = (next == null ? all : all.after(next))
                    .limit(limit - entries.size())
                    .page();
            entries.addAll(VisibleEntry.of(call, page.entries()));
            next = page.next();
        } while (next != null && entries.size() < limit && !call.isLate());
        return new AuditPage(entries, next);
    }

    static Answer suggest(Call call) {
        SuggestField field = Objects.requireNonNull(call.query().choice("field"));
        String prefix = call.query().has("prefix") ? call.query().some("prefix") : "";
        int limit = call.query().integer("limit");
        return Answer.of(new JsonObject()
                .put(
                        "names",
                        call.access().queues() == null
                                ? call.windrow().monitor().suggest(field, prefix, limit)
                                : visible(call, field)
                                        .filter(name -> name.startsWith(prefix))
                                        .distinct()
                                        .sorted()
                                        .limit(limit)
                                        .toList()));
    }

    /** Returns the names that a sender of some queues sees. The indexes of types, tags and error codes are of all queues, so these are of the newest jobs. */
    private static Stream<String> visible(Call call, SuggestField field) {
        Access access = call.access();
        return switch (field) {
            case QUEUE -> Objects.requireNonNull(access.queues()).stream();
            case WORKER ->
                Visible.workers(access, call.windrow().monitor().workers()).stream()
                        .map(WorkerInfo::name);
            case SCHEDULE ->
                call.windrow().schedules().list().stream()
                        .filter(schedule -> access.sees(schedule.queue()))
                        .map(ScheduleInfo::name);
            case TYPE -> newest(call, JobFilter.ALL).map(JobInfo::type);
            case TAG -> newest(call, JobFilter.ALL).flatMap(job -> job.tags().stream());
            case ERROR_CODE -> newest(call, JobFilter.failed()).flatMap(job -> Stream.ofNullable(job.errorCode()));
        };
    }

    private static Stream<JobInfo> newest(Call call, JobFilter filter) {
        return Objects.requireNonNull(call.access().queues()).stream()
                .takeWhile(queue -> !call.isLate())
                .flatMap(queue ->
                        call.windrow().jobs(filter.withQueue(queue)).newestFirst().page(NEWEST).jobs().stream());
    }

    static Answer doctor(Call call) {
        DiagnoseOptions options = DiagnoseOptions.ALL.withBudget(
                Objects.requireNonNull(call.query().duration("budget")));
        options = call.query().flag("quick") ? options.withoutIndexes() : options;
        return Answer.of(MonitorJson.diagnosis(call.windrow().monitor().diagnose(options)));
    }
}
