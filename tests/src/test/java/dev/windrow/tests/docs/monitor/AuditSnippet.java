package dev.windrow.tests.docs.monitor;

import static java.time.Duration.ofDays;

import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import java.time.Instant;

/** The code of docs/how-to/audit.md. */
final class AuditSnippet {
    private AuditSnippet() {}

    static void cancel(Windrow windrow, JobRef<?> cat) {
        // region because
        windrow.as("alice").because("ticket 4711").job(cat).cancel();
        // endregion
    }

    static void read(Windrow windrow) {
        // region read
        AuditFilter filter =
                AuditFilter.ALL.withActor("alice").withFrom(Instant.now().minus(ofDays(7)));
        for (AuditEntry entry : windrow.monitor().audit(filter, 100)) {
            System.out.println(entry.at() + " " + entry.action() + " of " + entry.jobs() + ": " + entry.reason());
        }
        // endregion
    }
}
