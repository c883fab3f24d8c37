package dev.windrow.engine.monitor;

import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.AuditPage;
import dev.windrow.monitor.AuditQuery;
import dev.windrow.query.JobQuery;
import dev.windrow.store.OpenStore;
import dev.windrow.validation.Bounds;
import org.jspecify.annotations.Nullable;

/**
 * A listing of the audit.
 *
 * @param after the entry before the page; null for the first page
 */
record AuditListing(
        OpenStore store, AuditFilter filter, @Nullable Long after, int limit) implements AuditQuery {
    @Override
    public AuditQuery limit(int entries) {
        Bounds.range("limit", entries, 1, JobQuery.MAX_LIMIT);
        return new AuditListing(store, filter, after, entries);
    }

    @Override
    public AuditQuery after(long position) {
        return new AuditListing(store, filter, position, limit);
    }

    @Override
    public AuditPage page() {
        return store.audit(filter, after, limit);
    }
}
