package dev.windrow.tests.docs.job;

import static java.time.Duration.ofMinutes;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.TypeRef;
import java.util.List;

/** The code of docs/how-to/handlers.md. */
final class HandlersSnippet {
    private HandlersSnippet() {}

    // region type
    record Report(int lines, int bad) {}

    static final JobType<List<String>, Report> CHECK = JobType.of(
                    "lines.check", new TypeRef<List<String>>() {}, new TypeRef<Report>() {})
            .withMaxAttempts(5)
            .withTimeout(ofMinutes(10));
    // endregion

    // region handler
    static Report check(List<String> lines, JobContext job) throws InterruptedException {
        int bad = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (job.shouldStop()) {
                throw new InterruptedException("stopped at line " + i);
            }
            if (lines.get(i).isBlank()) {
                bad++;
                job.log(LogLevel.WARN, "line " + i + " is blank");
            }
            job.progress((i + 1.0) / lines.size(), "line " + i);
        }
        return new Report(lines.size(), bad);
    }
    // endregion

    static Worker start(Windrow windrow) {
        // region worker
        Worker worker = windrow.worker().handle(CHECK, HandlersSnippet::check).start();
        // endregion
        return worker;
    }
}
