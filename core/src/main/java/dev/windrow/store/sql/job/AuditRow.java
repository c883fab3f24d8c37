package dev.windrow.store.sql.job;

import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Json;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An entry of the audit as it is stored. */
record AuditRow(
        long id,
        Instant at,
        String action,
        String actor,
        @Nullable String reason,
        long changed,
        List<Job> jobs,
        @Nullable Json detail)
        implements AuditEntry {}
