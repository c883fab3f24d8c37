package dev.windrow.dashboard;

import dev.windrow.JobHandle;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Json;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.schedule.ScheduleNotFoundException;
import dev.windrow.wire.Redactor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A request whose parameters were checked and whose sender has the permission. */
final class Call {
    /** The time limit of a read. Each single query of the engine has a shorter one. */
    private static final Duration LONGEST_READ = Duration.ofSeconds(10);

    /** The parameters of a list, beside its cursors, that are no part of its filter. */
    private static final Set<String> OF_PAGES = Set.of("limit", "look", "order", "reveal", "runs");

    private final Windrow windrow;
    private final DashboardOptions options;
    private final Access access;
    private final Input input;
    private final Overview overview;
    private final long deadline = System.nanoTime() + LONGEST_READ.toNanos();

    private boolean changed;
    private Reveals.@Nullable Reveal reveal;

    /** The parts of the request. */
    record Input(Route route, Values path, Values query, Values headers, Values body) {}

    Call(Overview overview, DashboardOptions options, Access access, Input input) {
        this.overview = overview;
        this.windrow = overview.windrow();
        this.options = options;
        this.access = access;
        this.input = input;
    }

    /** Returns the engine, for reads. */
    Windrow windrow() {
        return windrow;
    }

    /** Returns the engine in the name of the sender, with the reason of the request, for changes. */
    Windrow changing() {
        Windrow named = windrow.as(actor());
        String reason = query().has("reason") ? query().text("reason") : body().text("reason");
        return reason == null ? named : named.because(reason);
    }

    /** Returns the job in the path for a change: at the version of the request, if it has one. */
    JobHandle<@Nullable Json> changingJob() {
        JobHandle<@Nullable Json> job = changing().job(job().id());
        return input.headers.any("If-Match") instanceof Long version ? job.ifVersion(version) : job;
    }

    Overview overview() {
        return overview;
    }

    DashboardOptions options() {
        return options;
    }

    Access access() {
        return access;
    }

    /** Returns the redactor of payloads, results and metadata. A sender with the permission may ask for all of them. */
    Redactor redactor() {
        return query().flag("reveal") ? Redactor.none() : options.redactor();
    }

    String actor() {
        return Objects.requireNonNull(access.actor());
    }

    Values path() {
        return input.path;
    }

    Values query() {
        return input.query;
    }

    Values body() {
        return input.body;
    }

    /** True if the answer has confidential values in full, or depends on them. */
    boolean isRevealing() {
        return input.route.permission() == Permission.REVEAL
                || input.route.conditions().stream()
                        .anyMatch(condition -> condition.needed() == Permission.REVEAL && condition.holds(query()));
    }

    /** Says that the answer has confidential values of these jobs. */
    void reveals(Collection<Long> jobs) {
        reveal = Reveals.Reveal.of(jobs, Map.of());
    }

    /** Says that the answer has confidential values of the jobs of a list, if the sender asked for them. A search finds out values in any case. */
    void revealsList(Collection<JobInfo> jobs, boolean search) {
        List<Long> shown =
                query().flag("reveal") ? jobs.stream().map(JobInfo::id).toList() : List.of();
        reveal = new Reveals.Reveal(shown, list(), search ? queryText() : null, false);
    }

    /** Says that the answer has the metadata in these entries of the audit, if the sender asked for them. */
    void revealsMetadata(Collection<AuditEntry> entries) {
        if (query().flag("reveal")) {
            List<Long> jobs = entries.stream()
                    .filter(entry -> VisibleEntry.isConfidential(entry) && entry.detail() != null)
                    .flatMap(entry -> entry.jobs().stream())
                    .map(AuditEntry.Job::id)
                    .distinct()
                    .toList();
            reveal = Reveals.Reveal.of(jobs, list());
        }
    }

    /** Says that the answer is all of a list, of an unknown length. */
    void revealsExport() {
        reveal = new Reveals.Reveal(List.of(), list(), null, true);
    }

    /** Says that the answer has confidential values of something other than jobs. */
    void reveals(String kind, String name) {
        reveal = new Reveals.Reveal(List.of(), Map.of(kind, name), kind + " " + name, false);
    }

    /** Returns what the answer reveals: as its handler has said, or else the whole list. */
    Reveals.Reveal revealed() {
        Reveals.Reveal said = reveal;
        return said != null ? said : new Reveals.Reveal(List.of(), list(), queryText(), false);
    }

    /** Returns the name of the list, and the names of the parts of its filter, without their values. */
    private Map<String, String> list() {
        Map<String, String> detail = new LinkedHashMap<>();
        detail.put("list", input.route.path().substring(1));
        String parts = filterNames().sorted().collect(Collectors.joining(", "));
        if (!parts.isEmpty()) {
            detail.put("filter", parts);
        }
        return detail;
    }

    private Stream<String> filterNames() {
        return query().names().stream()
                .filter(name -> !OF_PAGES.contains(name)
                        && input.route.query().stream()
                                .noneMatch(field -> field.name().equals(name) && field.isCursor()));
    }

    /** Returns a short text that is the same for all pages of a list and a filter. */
    private String queryText() {
        Map<String, Object> parts = new TreeMap<>();
        filterNames().forEach(name -> parts.put(name, String.valueOf(query().any(name))));
        String text = input.route.path() + parts;
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
    }

    /** Records that a change is committed. An error after it must not say that nothing was changed. */
    void changed() {
        changed = true;
    }

    /** True if a change is committed. */
    boolean hasChanged() {
        return changed;
    }

    /** True if the time limit of a read is over. A read of several pages then ends with a cursor. */
    boolean isLate() {
        return System.nanoTime() - deadline > 0;
    }

    /** Reads the job in the path. A job in a queue that the sender does not see looks like a missing one. */
    JobInfo job() {
        return job("job", path().id("id"));
    }

    /** Reads a schedule that the sender sees. */
    ScheduleInfo schedule() {
        String name = path().some("name");
        return windrow.schedules()
                .find(name)
                .filter(schedule -> access.sees(schedule.queue()))
                .orElseThrow(() -> new ScheduleNotFoundException(name));
    }

    /** Reads a job that the sender sees. */
    JobInfo job(String role, long id) {
        JobInfo job = windrow.job(id).info();
        if (!access.sees(job.queue())) {
            throw new JobNotFoundException(role, id);
        }
        return job;
    }
}
