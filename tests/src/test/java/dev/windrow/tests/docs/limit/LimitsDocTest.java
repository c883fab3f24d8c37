package dev.windrow.tests.docs.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/limits.md. */
@OnEachStore
class LimitsDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/limit/LimitsSnippet.java";

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/limits.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(3);
    }

    @Test
    void theLimitsOfTheGuideAreStored() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            LimitsSnippet.say(windrow);
            assertThat(windrow.limits())
                    .containsExactly(
                            new Limits(LimitTarget.queue("bulk"), null, null, new Rate(10, Duration.ofSeconds(1), 20)),
                            new Limits(LimitTarget.queue("mail"), null, null, new Rate(600, Duration.ofMinutes(1), 1)),
                            new Limits(LimitTarget.type("image.resize"), null, 4, null));
        }
    }

    @Test
    void jobsOfTheGuideShareTheirKeys() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            LimitsSnippet.share(windrow);
            assertThat(windrow.limits())
                    .extracting(Limits::target)
                    .containsExactly(LimitTarget.key("tenant-42"), LimitTarget.key("tenant-43"));
            assertThat(windrow.jobs(JobFilter.inState(JobState.PENDING))
                            .newestFirst()
                            .limit(10)
                            .page()
                            .jobs())
                    .extracting(job -> job.concurrencyKey() + " " + job.waitsForPermit())
                    .containsExactly("tenant-43 false", "album-7 false", "tenant-42 true");
        }
    }
}
