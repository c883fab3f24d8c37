package dev.windrow.tests.readme;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.WorkerInfo;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The Java of README.md: each region is one block there, which {@link ReadmeTest} compares and runs. */
final class ReadmeSnippet {
    private ReadmeSnippet() {}

    // region types
    record Resize(String file, int width) {}

    record Thumbnail(String file) {}

    static final JobType<Resize, Thumbnail> RESIZE = JobType.of("image.resize", Resize.class, Thumbnail.class);
    // endregion

    static Thumbnail run(Path file) {
        // region use
        try (Windrow windrow = Windrow.open(SqliteStore.at(file))) {
            // Durable when enqueue returns.
            JobRef<Thumbnail> cat = windrow.enqueue(RESIZE, new Resize("cat.jpg", 200));
            windrow.enqueue(
                    RESIZE.job(new Resize("dog.jpg", 200)).withPriority(10).withDelay(ofMinutes(5)));

            try (Worker worker = windrow.worker()
                    .handle(RESIZE, (resize, job) -> new Thumbnail(resize.width() + "-" + resize.file()))
                    .concurrency(8)
                    .start()) {
                Thumbnail thumbnail = windrow.await(cat, ofSeconds(30));
                System.out.println(worker.name() + " made " + thumbnail);
                return thumbnail;
            }
        }
        // endregion
    }

    // region main
    static void work(Path file) throws InterruptedException {
        Windrow windrow = Windrow.open(SqliteStore.at(file)).closeOnShutdown();
        Worker worker = windrow.worker()
                .handle(RESIZE, (resize, job) -> new Thumbnail(resize.width() + "-" + resize.file()))
                .start();
        worker.join(); // until SIGTERM or System.exit has closed it
    }
    // endregion

    record Report(int lines, int bad) {}

    // region handler
    static Report read(List<String> lines, JobContext job) throws InterruptedException {
        int bad = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (job.isCancelRequested()) {
                throw new InterruptedException("cancelled at line " + i);
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

    static List<String> troubles(Windrow windrow) {
        // region health
        List<String> troubles = new ArrayList<>();
        for (Health.Task task : windrow.monitor().health().tasks()) {
            if (!task.isOk()) {
                troubles.add("%s %s (for %s)".formatted(task.name(), task.problem(), task.sinceProgress()));
            }
        }
        for (WorkerInfo worker : windrow.monitor().workers()) {
            if (!worker.alive()) {
                troubles.add("%s of process %d is gone".formatted(worker.name(), worker.pid()));
            }
        }
        return troubles;
        // endregion
    }

    static void order(Windrow windrow, String customer) throws SQLException {
        // region transaction
        windrow.inTransaction(connection -> {
            try (PreparedStatement order = connection.prepareStatement("INSERT INTO orders (customer) VALUES (?)")) {
                order.setString(1, customer);
                order.executeUpdate();
            }
            return windrow.on(connection).enqueue(RESIZE, new Resize(customer + ".jpg", 200)); // both or neither
        });
        // endregion
    }
}
