package dev.windrow.examples;

import static java.time.Duration.ofSeconds;

import dev.windrow.ChainRef;
import dev.windrow.JobChain;
import dev.windrow.JobContext;
import dev.windrow.JobInfo;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A loop over the pages of a catalogue whose number is not known beforehand. Each page is a job that continues with the next one, in the transaction
 * that completes it. A process that dies in the middle loses nothing and repeats one page at most.
 */
public final class Chain {
    /** A page to be fetched, and the number of entries on the pages before. */
    record Page(String cursor, int found) {}

    record Summary(int pages, int entries) {}

    static final JobType<Integer, Summary> SUMMARY = JobType.of("catalogue.summary", Integer.class, Summary.class);
    static final JobType<Page, Void> FETCH = JobType.of("catalogue.fetch", Page.class)
            .withNext("catalogue.fetch")
            .withNext(SUMMARY);
    static final JobChain<Page, Summary> CRAWL = JobChain.of(FETCH, SUMMARY);

    private Chain() {}

    /** The answer of the catalogue: some entries, and the position of the next ones. */
    private record Answer(List<String> entries, @Nullable String next) {}

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        try (Windrow windrow = Place.open(args)) {
            System.out.println(run(windrow));
        }
    }

    static Summary run(Windrow windrow) {
        ChainRef<Summary> chain = windrow.enqueue(CRAWL, new Page("a", 0));
        try (Worker worker = windrow.worker()
                .handleVoid(FETCH, Chain::fetch)
                .handle(SUMMARY, (entries, job) -> new Summary(pages(windrow, chain), entries))
                .start()) {
            System.out.println(worker.name() + " works");
            // Not the first job, which ends with its page, but the job that has no continuation.
            return windrow.awaitChain(chain, ofSeconds(30));
        }
    }

    static void fetch(Page page, JobContext job) {
        Answer answer = ask(page.cursor());
        int found = page.found() + answer.entries().size();
        System.out.println("page " + page.cursor() + ": " + answer.entries());
        job.continueWith(answer.next() == null ? SUMMARY.job(found) : FETCH.job(new Page(answer.next(), found)));
    }

    private static Answer ask(String cursor) {
        return switch (cursor) {
            case "a" -> new Answer(List.of("apple", "apricot"), "b");
            case "b" -> new Answer(List.of("banana", "bilberry", "blackberry"), "c");
            default -> new Answer(List.of("cherry"), null);
        };
    }

    private static int pages(Windrow windrow, ChainRef<Summary> chain) {
        List<JobInfo> jobs = windrow.chain(chain).jobs();
        return (int)
                jobs.stream().filter(job -> job.type().equals(FETCH.name())).count();
    }
}
