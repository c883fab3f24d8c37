package dev.windrow.examples;

import static java.time.Duration.ofSeconds;

import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Fan-out and fan-in: one job reads a text, one job for each line counts its words, and the last job adds up the counts. */
public final class Dependencies {
    record Text(List<String> lines) {}

    record Total(int words, String longestLine) {}

    static final JobType<String, Text> READ = JobType.of("text.read", String.class, Text.class);
    static final JobType<Integer, Integer> COUNT = JobType.of("text.count", Integer.class, Integer.class);
    static final JobType<Void, Total> ADD_UP = JobType.of("text.add-up", Void.class, Total.class);

    private Dependencies() {}

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        try (Windrow windrow = Place.open(args)) {
            System.out.println(run(windrow));
        }
    }

    static Total run(Windrow windrow) {
        // No job runs yet. The dependencies are stored first, and would survive this process.
        JobRef<Text> read =
                windrow.enqueue(READ, "Who rides so late / through night and wind? / It is the father with his child.");
        List<JobRef<Integer>> counts = new ArrayList<>();
        for (int line = 0; line < 3; line++) {
            counts.add(windrow.enqueue(COUNT.job(line).withParents(read)));
        }
        JobRef<Total> total = windrow.enqueue(ADD_UP.job().withParents(read).withParents(counts));
        System.out.println(counts.size() + " jobs wait for job " + read + ", and job " + total + " for all of them");

        try (Worker worker = windrow.worker()
                .handle(READ, (text, job) -> new Text(List.of(text.split(" / "))))
                .handle(COUNT, Dependencies::count)
                .handle(ADD_UP, Dependencies::addUp)
                .start()) {
            System.out.println(worker.name() + " works");
            return Objects.requireNonNull(windrow.await(total, ofSeconds(30)));
        }
    }

    private static int count(int line, JobContext job) {
        Text text = job.parentResult(READ); // the result of its only parent of this type, as that type's output
        int words = text.lines().get(line).split(" ").length;
        System.out.printf(Locale.ROOT, "line %d has %d words%n", line, words);
        return words;
    }

    private static Total addUp(@Nullable Void nothing, JobContext job) {
        List<Integer> counts = job.parentResults(COUNT); // in the order in which the parents were declared
        int longest = 0;
        int words = 0;
        for (int line = 0; line < counts.size(); line++) {
            words += counts.get(line);
            longest = counts.get(line) > counts.get(longest) ? line : longest;
        }
        return new Total(words, job.parentResult(READ).lines().get(longest));
    }
}
