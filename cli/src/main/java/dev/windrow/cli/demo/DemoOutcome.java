package dev.windrow.cli.demo;

import dev.windrow.wire.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The result of a run of the demo.
 *
 * @param scanJob its first job
 * @param scanned the result of the scan
 * @param tally the report of its last job
 * @param took the time from the enqueue of the first job to the end of the last
 */
record DemoOutcome(long scanJob, DemoTypes.Scanned scanned, Tally tally, Duration took) {
    /** Returns the rate of jobs, not of files: the scan and the report are jobs as well. */
    double jobsPerSecond() {
        double seconds = Math.max(took.toNanos(), 1) / 1e9;
        return Math.round((tally.files() + 2) / seconds * 10) / 10.0;
    }

    JsonObject fields() {
        return new JsonObject()
                .put("files", tally.files())
                .put("completed", tally.completed())
                .put("failed", tally.failed())
                .put("lines", tally.lines())
                .put("words", tally.words())
                .put("topWords", counted("word", tally.topWords()))
                .put("failures", counted("errorCode", tally.failures()))
                .put("unreadableFolders", scanned.unreadableFolders())
                .put("jobsPerSecond", jobsPerSecond());
    }

    private static List<JsonObject> counted(String key, Map<String, Long> counts) {
        return counts.entrySet().stream()
                .map(each -> new JsonObject().put(key, each.getKey()).put("count", each.getValue()))
                .toList();
    }
}
