package dev.windrow.cli.demo;

import dev.windrow.Handler;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobState;
import dev.windrow.workflow.ParentOutcome;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The handler of the demo's last job: one report over the results of all file jobs, or over reports on batches of
 * them.
 */
final class DemoReport implements Handler<DemoTypes.Report, Tally> {
    /** The number of words in the report. */
    static final int WORDS = 10;

    private static final int DISTINCT = 1_000_000;

    @Override
    public Tally handle(DemoTypes.Report report, JobContext job) {
        Sum sum = new Sum();
        for (ParentOutcome parent : job.parents()) {
            if (parent.state() != JobState.COMPLETED || parent.result() == null) {
                sum.addFailure(parent);
            } else if (parent.type().equals(DemoTypes.FILE.name())) {
                sum.add(job.decode(parent.result(), FileCount.class));
            } else {
                sum.add(job.decode(parent.result(), Tally.class));
            }
        }
        Tally tally = sum.tally(report.words());
        job.output("%d files, %d counted: %d lines, %d words, %d bytes%n"
                .formatted(tally.files(), tally.completed(), tally.lines(), tally.words(), tally.bytes()));
        return tally;
    }

    /** Returns the failures, sorted by count, then by code. */
    static Map<String, Long> sorted(Map<String, Long> failures) {
        Map<String, Long> sorted = new LinkedHashMap<>();
        failures.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .forEach(each -> sorted.put(each.getKey(), each.getValue()));
        return sorted;
    }

    private static final class Sum {
        private final Map<String, Long> failures = new HashMap<>();
        private final TopWords topWords = new TopWords(DISTINCT);
        private long files;
        private long completed;
        private long lines;
        private long words;
        private long bytes;

        void add(FileCount file) {
            files++;
            completed++;
            lines += file.lines();
            words += file.words();
            bytes += file.bytes();
            topWords.addAll(file.topWords(), file.missing());
        }

        void add(Tally part) {
            files += part.files();
            completed += part.completed();
            lines += part.lines();
            words += part.words();
            bytes += part.bytes();
            part.failures().forEach((code, count) -> failures.merge(code, count, Long::sum));
            // A word that the part does not list may still have the count of the last listed one.
            long unlisted = part.topWords().values().stream()
                    .mapToLong(Long::longValue)
                    .min()
                    .orElse(0);
            topWords.addAll(part.topWords(), part.missing() + unlisted);
        }

        void addFailure(ParentOutcome parent) {
            if (!parent.type().equals(DemoTypes.FILE.name())) {
                throw JobFailure.permanent(
                        "DEPENDENCY:PART", "the report %d on a part has no result".formatted(parent.id()));
            }
            files++;
            String code = parent.errorCode() == null ? parent.state().name() : parent.errorCode();
            failures.merge(code, 1L, Long::sum);
        }

        Tally tally(int max) {
            long missing = topWords.missing(); // before the list is cut, which would add to it
            return new Tally(
                    /* files= */ files,
                    /* completed= */ completed,
                    /* lines= */ lines,
                    /* words= */ words,
                    /* bytes= */ bytes,
                    /* failures= */ sorted(failures),
                    /* topWords= */ topWords.top(max),
                    /* missing= */ missing);
        }
    }
}
