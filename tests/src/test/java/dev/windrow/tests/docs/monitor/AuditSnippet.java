package dev.windrow.tests.docs.monitor;

import static java.time.Duration.ofDays;

import dev.windrow.ChangedMeanwhileException;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.AuditPage;
import java.time.Instant;
import java.util.List;

/** The code of docs/how-to/audit.md. */
final class AuditSnippet {
    private AuditSnippet() {}

    static void cancel(Windrow windrow, JobRef<?> cat) {
        // region because
        windrow.as("alice").because("ticket 4711").job(cat).cancel();
        // endregion
    }

    static String show(Windrow windrow, JobRef<?> cat) {
        // region reveal
        windrow.as("alice").monitor().recordReveal(List.of(cat)); // throws if it cannot be recorded
        return String.valueOf(windrow.job(cat).history().payload());
        // endregion
    }

    static void read(Windrow windrow) {
        // region read
        AuditFilter filter =
                AuditFilter.ALL.withActor("alice").withFrom(Instant.now().minus(ofDays(7)));
        AuditPage page = windrow.monitor().audit(filter).limit(100).page(); // next page: after(page.next())
        for (AuditEntry entry : page.entries()) {
            System.out.println(entry.at() + " " + entry.action() + " of " + entry.jobs() + ": " + entry.reason());
        }
        // endregion
    }

    static void delete(Windrow windrow, JobRef<?> cat) {
        // region version
        JobInfo seen = windrow.job(cat).info(); // an operator looks at it, and decides
        try {
            windrow.as("alice").job(cat).ifVersion(seen.version()).delete();
        } catch (ChangedMeanwhileException e) {
            e.jobs().forEach(job -> System.out.println("job " + job.id() + " is " + job.state() + " now"));
        }
        // endregion
    }
}
