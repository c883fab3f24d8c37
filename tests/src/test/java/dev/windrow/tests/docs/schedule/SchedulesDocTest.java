package dev.windrow.tests.docs.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Windrow;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/schedules.md. */
@OnEachStore
class SchedulesDocTest {
    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void guideShowsCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/schedules.md"))
                .isEqualTo(Docs.regions("tests/src/test/java/dev/windrow/tests/docs/schedule/SchedulesSnippet.java"))
                .hasSize(3);
    }

    @Test
    void theSchedulesOfTheGuideAreStored() throws Exception {
        ManualTime time = new ManualTime();
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow =
                        Windrow.configure(target.newStore()).time(time).open()) {
            SchedulesSnippet.schedules(windrow);
            SchedulesSnippet.schedules(windrow);
            assertThat(windrow.schedules().list())
                    .extracting(ScheduleInfo::name)
                    .containsExactly("heartbeat", "nightly-report");
            assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(10).page().entries())
                    .hasSize(2);
            assertThat(windrow.schedules().find("nightly-report").orElseThrow().nextRun())
                    .isEqualTo(Instant.parse("2026-01-01T02:00:00Z"));
            SchedulesSnippet.holiday(windrow);
            assertThat(windrow.schedules().list())
                    .extracting(ScheduleInfo::name)
                    .containsExactly("nightly-report");
            assertThat(windrow.schedules().find("nightly-report").orElseThrow().lastJob())
                    .isNotNull();
            time.advance(Duration.ofDays(1));
            assertThat(windrow.monitor().diagnose().failed()).isEmpty();
        }
    }
}
