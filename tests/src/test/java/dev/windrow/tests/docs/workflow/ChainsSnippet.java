package dev.windrow.tests.docs.workflow;

import dev.windrow.ChainRef;
import dev.windrow.JobChain;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobTransaction;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.ChainPage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** The code of docs/how-to/chains.md and docs/how-to/transactions.md. */
final class ChainsSnippet {
    private ChainsSnippet() {}

    // region declare
    record Page(String url, int from) {}

    static final JobType<Integer, Integer> SUMMARY = JobType.of("catalog.summary", Integer.class, Integer.class);
    static final JobType<Page, Void> FETCH =
            JobType.of("catalog.fetch", Page.class).withNext("catalog.fetch").withNext(SUMMARY);
    static final JobChain<Page, Integer> CRAWL = JobChain.of(FETCH, SUMMARY); // begins with FETCH, has SUMMARY's result
    // endregion

    // region types
    record Order(int id, int cents) {}

    record Receipt(int order) {}

    static final JobType<Order, Receipt> CHARGE = JobType.of("order.charge", Order.class, Receipt.class);
    static final JobType<Order, Void> SHIP = JobType.of("order.ship", Order.class);
    // endregion

    // region loop
    static void fetch(Page page, JobContext job) {
        int more = load(page); // reads this page; returns the start of the next one
        job.continueWith(more > 0 ? FETCH.job(new Page(page.url(), more)) : SUMMARY.job(page.from()));
    }
    // endregion

    private static int load(Page page) {
        if (page.from() < 0) {
            throw JobFailure.permanent("INVALID_INPUT:PAGE", "a page begins at 0 or later");
        }
        return page.from() < 200 ? page.from() + 100 : 0;
    }

    static int all(Windrow windrow) {
        // region await
        ChainRef<Integer> chain = windrow.enqueue(CRAWL, new Page("https://example.org", 0));
        Integer entries = windrow.awaitChain(chain, Duration.ofMinutes(5)); // the result of SUMMARY
        List<JobInfo> jobs = windrow.chain(chain).jobs(); // from the first one on
        windrow.enqueue(SHIP.job(new Order(1, 100)).withChainParents(chain));
        // endregion
        return entries + jobs.size();
    }

    static ChainRef<Integer> urgent(Windrow windrow, Page page) {
        // region options
        long first = windrow.enqueue(CRAWL.job(page).withPriority(10)).id();
        ChainRef<Integer> chain = CRAWL.ref(first);
        // endregion
        return chain;
    }

    static List<ChainInfo> retryFailed(Windrow windrow) {
        // region list
        ChainFilter failed = ChainFilter.ALL.withType(FETCH).withStates(JobState.FAILED);
        ChainPage found = windrow.chains(failed).limit(20).page(); // next page: after(found.next())
        for (ChainInfo info : found.chains()) {
            windrow.chain(info.id()).retry(); // its last job
        }
        // endregion
        return found.chains();
    }

    // region charge
    static Receipt charge(Order order, JobContext job, DataSource database) throws SQLException {
        Receipt receipt = new Receipt(order.id());
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO charges VALUES (?, ?)")) {
                insert.setInt(1, order.id());
                insert.setInt(2, order.cents());
                insert.executeUpdate();
            }
            job.continueWith(SHIP.job(order));
            JobTransaction transaction = job.on(connection);
            transaction.complete(receipt);
            connection.commit(); // the charge, the end of this job and the next one: all or nothing
        }
        return receipt; // ignored, because the job has its result already
    }
    // endregion

    static JobRef<Receipt> place(Windrow windrow, Order order) throws SQLException {
        // region place
        JobRef<Receipt> job = windrow.inTransaction(connection -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
                insert.setInt(1, order.id());
                insert.setInt(2, order.cents());
                insert.executeUpdate();
            }
            return windrow.on(connection).enqueue(CHARGE, order); // the order and its job, or neither
        });
        // endregion
        return job;
    }

    // region complete
    static Receipt chargeInOne(Order order, JobContext job) throws SQLException {
        job.continueWith(SHIP.job(order));
        return job.completeInTransaction(connection -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO charges VALUES (?, ?)")) {
                insert.setInt(1, order.id());
                insert.setInt(2, order.cents());
                insert.executeUpdate();
            }
            return new Receipt(order.id()); // the result of this job, which is completed by the commit
        });
    }
    // endregion

    static Worker start(Windrow windrow, DataSource database) {
        return windrow.worker()
                .handleVoid(FETCH, ChainsSnippet::fetch)
                .handle(SUMMARY, (entries, job) -> entries)
                .handle(
                        CHARGE,
                        (order, job) -> order.cents() < 1000 ? charge(order, job, database) : chargeInOne(order, job))
                .handleVoid(SHIP, (order, job) -> job.afterCommit(() -> System.out.println("shipped " + order.id())))
                .start();
    }
}
