package dev.windrow.dashboard;

import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of an entry of the audit that a sender may see. A sender of some queues sees its own jobs, and no detail if there are others, because it may be
 * about these. The reason stays: it is in the events of the visible jobs, too.
 *
 * @param whole the entry
 * @param jobs the jobs that the sender sees
 * @param detail the detail; without the metadata, which may be confidential
 */
record VisibleEntry(
        AuditEntry whole,
        @Override List<Job> jobs,
        @Override @Nullable Json detail) implements AuditEntry {
    private static final Json REDACTED = new Json("{\"metadata\":\"[redacted]\"}");

    /** Returns the visible entries. The queue of a deleted job is unknown, so a sender of some queues does not see it. */
    static List<AuditEntry> of(Call call, List<AuditEntry> entries) {
        Map<Long, Boolean> known = new HashMap<>();
        List<AuditEntry> visible = new ArrayList<>();
        for (AuditEntry entry : entries) {
            boolean everything = call.access().queues() == null;
            List<Job> jobs = everything
                    ? entry.jobs()
                    : entry.jobs().stream()
                            .filter(job -> known.computeIfAbsent(
                                    job.id(), id -> Visible.sees(call.access(), call.windrow(), id)))
                            .toList();
            if (everything || !jobs.isEmpty()) {
                boolean whole = everything || jobs.size() == entry.changed();
                boolean redacted = isConfidential(entry) && !call.query().flag("reveal");
                visible.add(whole && !redacted ? entry : new VisibleEntry(entry, jobs, whole ? REDACTED : null));
            }
        }
        return visible;
    }

    /** True if the detail of an entry has values of its jobs. */
    static boolean isConfidential(AuditEntry entry) {
        return entry.action().equals("MERGE_METADATA");
    }

    @Override
    public long id() {
        return whole.id();
    }

    @Override
    public Instant at() {
        return whole.at();
    }

    @Override
    public String action() {
        return whole.action();
    }

    @Override
    public String actor() {
        return whole.actor();
    }

    @Override
    public @Nullable String reason() {
        return whole.reason();
    }

    @Override
    public long changed() {
        return jobs.size();
    }
}
