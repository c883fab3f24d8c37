package dev.windrow.store.sql.job;

import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An entry of the audit as it is stored. */
record AuditRow(
        long id,
        Instant at,
        String action,
        String actor,
        long jobs,
        @Nullable Json detail) implements AuditEntry {}
