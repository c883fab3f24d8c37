package dev.windrow.monitor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the audit. The listing ends where {@code next} is null.
 *
 * @param entries the matching entries, newest first
 * @param next the position of the page after this one; null at the end
 */
public record AuditPage(List<AuditEntry> entries, @Nullable Long next) {
    /** Copies the list. */
    public AuditPage {
        entries = List.copyOf(entries);
    }
}
