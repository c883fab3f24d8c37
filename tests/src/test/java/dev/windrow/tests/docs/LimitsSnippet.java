package dev.windrow.tests.docs;

import dev.windrow.ConcurrencyKey;
import dev.windrow.Control;
import dev.windrow.JobType;
import dev.windrow.Rate;
import dev.windrow.Scope;
import dev.windrow.Windrow;
import java.time.Duration;

/** The code of docs/limits.md. */
final class LimitsSnippet {
    private LimitsSnippet() {}

    static final JobType<String, Void> RESIZE = JobType.of("image.resize", String.class);

    static void say(Windrow windrow) {
        // region say
        windrow.pause(Scope.queue("mail"), "provider is down");
        windrow.resume(Scope.queue("mail"));

        windrow.limit(Scope.type(RESIZE), 4); // at most four at once, in all processes together
        windrow.limitRate(Scope.queue("mail"), Rate.parse("600/m")); // evenly: one each 100 ms
        windrow.limitRate(
                Scope.queue("bulk"), Rate.of(10, Duration.ofSeconds(1)).withBurst(20));

        for (Control control : windrow.controls()) {
            System.out.println(control.scope() + ": " + control.maxRunning() + ", " + control.rate());
        }
        // endregion
    }

    static void share(Windrow windrow) {
        // region share
        windrow.enqueue(RESIZE.job("dog.jpg").concurrencyKey(ConcurrencyKey.atMost("tenant-42", 2))); // two of a tenant
        windrow.enqueue(RESIZE.job("cat.jpg").concurrencyKey(ConcurrencyKey.inSequence("album-7"))); // one by one
        windrow.enqueue(RESIZE.job("owl.jpg").concurrencyKey(ConcurrencyKey.of("tenant-43"))); // as an operator says:

        windrow.limitRate(Scope.key("tenant-43"), Rate.parse("10/s"));
        windrow.pause(Scope.key("tenant-42"), "has not paid");
        // endregion
    }
}
