package dev.windrow.tests.docs.limit;

import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import java.time.Duration;

/** The code of docs/how-to/limits.md. */
final class LimitsSnippet {
    private LimitsSnippet() {}

    // region types
    record Resize(String file, int width) {}

    record Thumbnail(String file) {}

    static final JobType<Resize, Thumbnail> RESIZE = JobType.of("image.resize", Resize.class, Thumbnail.class);
    // endregion

    static void say(Windrow windrow) {
        // region say
        windrow.queue("mail").pause("provider is down");
        windrow.queue("mail").resume();

        windrow.type(RESIZE).limit(4); // at most four at once, in all processes together; removeLimit() ends it
        windrow.queue("mail").limitRate(Rate.parse("600/m")); // one each 100 ms; removeRateLimit() ends it
        windrow.queue("bulk").limitRate(Rate.of(10, Duration.ofSeconds(1)).withBurst(20));

        for (Limits limits : windrow.limits()) {
            System.out.println(limits.target() + ": " + limits.maxRunning() + ", " + limits.rate());
        }
        // endregion
    }

    static void share(Windrow windrow) {
        // region share
        JobRequest<Resize, Thumbnail> dog = RESIZE.job(new Resize("dog.jpg", 200));
        windrow.enqueue(dog.withConcurrencyKey(ConcurrencyKey.atMost("tenant-42", 2))); // two of a tenant
        windrow.enqueue(dog.withConcurrencyKey(ConcurrencyKey.inSequence("album-7"))); // one by one
        windrow.enqueue(dog.withConcurrencyKey(ConcurrencyKey.of("tenant-43"))); // as many as an operator allows

        windrow.key("tenant-43").limitRate(Rate.parse("10/s"));
        windrow.key("tenant-42").pause("has not paid");
        // endregion
    }
}
