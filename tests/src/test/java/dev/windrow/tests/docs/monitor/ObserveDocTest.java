package dev.windrow.tests.docs.monitor;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobFailure;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.Throughput;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/observe.md. */
@OnEachStore
class ObserveDocTest {
    private static final String DOC = "docs/how-to/observe.md";
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/monitor/ObserveSnippet.java";

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", DOC)).isEqualTo(Docs.regions(CODE)).hasSize(7);
    }

    @Test
    void theQueriesOfTheGuideReturnTheirAnswers() throws Exception {
        JobType<String, Void> type = JobType.of("shop.order", String.class);
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            windrow.enqueue(type, "bad");
            windrow.enqueue(type, "good");
            try (Worker worker = windrow.worker()
                    .handle(type, (order, context) -> {
                        if (order.equals("bad")) {
                            throw JobFailure.permanent("SHOP:SOLD_OUT", "none is left");
                        }
                        return null;
                    })
                    .start()) {
                assertThat(worker.awaitIdle(Duration.ofSeconds(60))).isTrue();
            }
            ObserveSnippet.ask(windrow);
            assertThat(windrow.monitor().statistics().failures())
                    .singleElement()
                    .satisfies(code -> {
                        assertThat(code.errorCode()).isEqualTo("SHOP:SOLD_OUT");
                        assertThat(code.firstAt()).isEqualTo(code.lastAt());
                        assertThat(windrow.job(requireNonNull(code.sampleJob())).exists())
                                .isTrue();
                    });
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                Throughput.Ends ends = windrow.monitor().throughput().all();
                assertThat(ends.succeeded()).isEqualTo(1);
                assertThat(ends.failed()).isEqualTo(1);
            });
            for (String block : Docs.blocks("sql", DOC)) {
                if (kind == StoreKind.POSTGRES || !block.startsWith("-- PostgreSQL")) {
                    assertThat(target.rows(block)).as(block).isNotNull();
                }
            }
        }
    }

    @Test
    void aWindowOutOfRangeIsRefused() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            for (Duration window : List.of(Duration.ofSeconds(59), Duration.ofDays(8))) {
                assertThatThrownBy(() -> windrow.monitor().throughput(window))
                        .isInstanceOf(InvalidRequestException.class)
                        .hasMessageContainingAll("window", Durations.text(window), "1m to 7d");
            }
        }
    }
}
