package dev.windrow.tests.readme;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;

public class App {
    record Resize(String file, int width) {}

    record Thumbnail(String file) {}

    static final JobType<Resize, Thumbnail> RESIZE = JobType.of("image.resize", Resize.class, Thumbnail.class);

    public static void main(String[] args) {
        try (Windrow windrow = Windrow.open(SqliteStore.at(Path.of("jobs.db")));
                Worker worker = windrow.worker()
                        .handle(RESIZE, (resize, job) -> new Thumbnail(resize.width() + "-" + resize.file()))
                        .start()) {
            JobRef<Thumbnail> cat = windrow.enqueue(RESIZE, new Resize("cat.jpg", 200)); // now it is on disk
            windrow.enqueue(RESIZE.job(new Resize("dog.jpg", 200)).withDelay(ofMinutes(5)));
            System.out.println(worker.name() + " made " + windrow.await(cat, ofSeconds(30)));
        }
    }
}
