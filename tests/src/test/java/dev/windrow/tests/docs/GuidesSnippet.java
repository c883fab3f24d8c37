package dev.windrow.tests.docs;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.windrow.BatchItem;
import dev.windrow.Dedupe;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobSelection;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Retry;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The code of the guides that have few snippets each. */
final class GuidesSnippet {
    private GuidesSnippet() {}

    // region type
    record Invoice(String customer, int cents) {}

    record Receipt(String number) {}

    static final JobType<Invoice, Receipt> SEND_INVOICE = JobType.of("invoice.send", Invoice.class, Receipt.class)
            .withMaxAttempts(5)
            .withTimeout(ofMinutes(2));
    // endregion

    /** Runs the code of getting-started.md in one program, in the order of the page. */
    static List<Object> start(String file) throws InterruptedException {
        // region open
        Windrow windrow = Windrow.open(SqliteStore.at(Path.of(file)));
        // endregion
        // region enqueue
        JobRef<Receipt> job = windrow.enqueue(SEND_INVOICE, new Invoice("Ada", 4200));
        // endregion
        // region worker
        Worker worker = windrow.worker()
                .handle(SEND_INVOICE, (invoice, context) -> new Receipt("R-" + context.id()))
                .concurrency(4)
                .start();
        // endregion
        // region await
        Receipt receipt = windrow.await(job, ofSeconds(30));
        JobState state = windrow.job(job).info().state();
        // endregion
        // region ping
        JobType<Void, Void> ping = JobType.of("ping");
        Worker pings = windrow.worker()
                .handleVoid(ping, (nothing, context) -> context.log(LogLevel.INFO, "pong"))
                .start();
        windrow.enqueue(ping);
        // endregion
        JobRef<Receipt> bad =
                windrow.enqueue(SEND_INVOICE.job(new Invoice("", 0)).withDelay(ofMinutes(5)));
        windrow.job(bad).fail("TEST:NO", "no");
        // region operate
        JobSelection failed = windrow.jobs(JobFilter.failed().withType(SEND_INVOICE));
        long count = failed.count();
        failed.newestFirst().forEach(each -> System.out.println(each.id() + " " + each.errorCode()));
        failed.retry(Retry.attempts(3)); // each gets three more attempts
        JobRef<Receipt> later =
                windrow.enqueue(SEND_INVOICE.job(new Invoice("Bob", 990)).withDelay(ofMinutes(5)));
        windrow.job(later).cancel(); // throws TransitionRefusedException if it has ended
        windrow.queue("mail").pause("the provider is down");
        windrow.queue("mail").resume();
        // endregion
        boolean idle = worker.awaitIdle(ofSeconds(30)) && pings.awaitIdle(ofSeconds(30));
        List<JobState> states = Stream.of(bad, later)
                .map(each -> windrow.job(each).info().state())
                .toList();
        // region close
        windrow.close();
        // endregion
        return List.of(receipt, state, count, idle, states);
    }

    // region shutdown
    public static void main(String[] args) throws InterruptedException {
        Windrow windrow = Windrow.open(SqliteStore.at(Path.of("jobs.db"))).closeOnShutdown();
        Worker worker = windrow.worker()
                .handle(SEND_INVOICE, (invoice, context) -> new Receipt("R-" + context.id()))
                .start();
        worker.join();
    }
    // endregion

    static List<String> troubles(Windrow windrow) {
        // region health
        List<String> troubles = new ArrayList<>();
        for (Health.Task task : windrow.monitor().health().tasks()) {
            if (!task.isOk()) {
                troubles.add("%s: %s (for %s)".formatted(task.name(), task.problem(), task.sinceProgress()));
            }
        }
        for (WorkerInfo worker : windrow.monitor().workers()) {
            if (!worker.alive()) {
                troubles.add("worker %s: process %d does not renew its entry".formatted(worker.name(), worker.pid()));
            }
        }
        return troubles;
        // endregion
    }

    // region nullable
    record Shipment(
            String order,
            @Nullable Integer priority,
            @Nullable String carrier) {
        Shipment {
            priority = priority == null ? 0 : priority; // enqueued before there were priorities
            carrier = carrier == null ? "post" : carrier;
        }
    }

    static final JobType<Shipment, Void> SHIP =
            JobType.of("order.ship", Shipment.class).withAliases("order.send");
    // endregion

    record Parcel(String order, String address) {}

    static final JobType<String, Void> OLD_SHIP = JobType.of("parcel.ship", String.class);
    static final JobType<Parcel, String> SHIP_TO = JobType.of("parcel.ship-to", Parcel.class, String.class);

    // region shapes
    static Worker.Builder handleBoth(Windrow windrow) {
        return windrow.worker()
                .handle(SHIP_TO, (parcel, job) -> "shipped to " + parcel.address())
                .handleVoid(
                        OLD_SHIP,
                        (order, job) -> job.continueWith(SHIP_TO.job(new Parcel(order, "the address of " + order))));
    }
    // endregion

    // region queues
    record Mail(String recipient) {}

    static final JobType<Mail, Void> SEND = JobType.of("mail.send", Mail.class).withQueue("mail");
    static final JobType<String, Void> RESIZE =
            JobType.of("image.resize", String.class).withQueue("images");
    // endregion

    interface Mailer {
        void send(Mail mail);
    }

    interface Resizer {
        void resize(String image);
    }

    static List<Worker> workers(Windrow windrow, Mailer mailer, Resizer resizer) {
        // region slots
        Worker mails = windrow.worker()
                .queue("mail")
                .concurrency(100) // they wait for servers
                .handleVoid(SEND, (mail, job) -> mailer.send(mail)) // your code
                .start();
        Worker images = windrow.worker()
                .queue("images")
                .concurrency(Runtime.getRuntime().availableProcessors()) // they compute
                .handleVoid(RESIZE, (image, job) -> resizer.resize(image))
                .start();
        // endregion
        return List.of(mails, images);
    }

    // region takeover
    static void takeOver(Windrow windrow, ResultSet old) throws SQLException {
        while (old.next()) {
            windrow.enqueue(SEND.job(new Mail(old.getString("recipient")))
                    .withRunAt(old.getTimestamp("due").toInstant())
                    .withDedupe(Dedupe.key("old-" + old.getLong("id")).forEver()));
        }
    }
    // endregion

    record Point(String metric, int value) {}

    /** The outside system of the page about batch handlers. */
    interface Warehouse {
        /** Writes these points together; returns the refused ones. */
        Set<Point> write(List<Point> points);
    }

    // region batch
    static final JobType<Point, @Nullable Void> WRITE = JobType.of("metric.write", Point.class);

    static void write(List<BatchItem<Point, @Nullable Void>> jobs, Warehouse warehouse) {
        Set<Point> refused = warehouse.write(jobs.stream().map(BatchItem::input).toList());
        for (BatchItem<Point, @Nullable Void> job : jobs) {
            if (refused.contains(job.input())) {
                job.fail(JobFailure.permanent("WAREHOUSE:REFUSED"));
            }
        }
    }
    // endregion

    static Worker batches(Windrow windrow, Warehouse warehouse) {
        // region batches
        return windrow.worker()
                .handleBatch(WRITE, 100, ofMillis(200), jobs -> write(jobs, warehouse))
                .start();
        // endregion
    }
}
