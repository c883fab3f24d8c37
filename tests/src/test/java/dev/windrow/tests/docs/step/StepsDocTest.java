package dev.windrow.tests.docs.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/steps.md. */
@OnEachStore
class StepsDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/step/StepsSnippet.java";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private final List<String> calls = new CopyOnWriteArrayList<>();

    private final StepsSnippet.Shop shop = new StepsSnippet.Shop() {
        @Override
        public String reserve(StepsSnippet.Order order, String key) {
            calls.add("reserve " + order.number());
            return "r" + order.number();
        }

        @Override
        public void pack(StepsSnippet.Order order, String key) {
            calls.add("pack " + order.number());
        }

        @Override
        public void release(String reservation) {
            calls.add("release " + reservation);
        }
    };

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/steps.md"))
                .containsExactlyInAnyOrderElementsOf(Docs.regions(CODE))
                .hasSize(5);
    }

    @Test
    void paidOrdersArePackedAndUnpaidOnesAreReleased() throws Exception {
        ManualTime time = new ManualTime();
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow =
                        Windrow.configure(target.newStore()).time(time).open();
                Worker worker = StepsSnippet.sell(windrow, shop).start()) {
            assertThat(worker.name()).isNotBlank();
            JobRef<String> paid = windrow.enqueue(StepsSnippet.SELL, new StepsSnippet.Order(1, 5));
            JobRef<String> forgotten = windrow.enqueue(StepsSnippet.SELL, new StepsSnippet.Order(2, 5));
            until(windrow, time, paid, JobState.BLOCKED);
            until(windrow, time, forgotten, JobState.BLOCKED);
            assertThat(StepsSnippet.hook(windrow, paid.id(), new StepsSnippet.Paid("R-1")))
                    .isTrue();
            assertThat(windrow.await(paid, PATIENCE)).isEqualTo("sold for R-1");
            time.advance(Duration.ofDays(7));
            until(windrow, time, forgotten, JobState.COMPLETED);
            assertThat(windrow.await(forgotten, PATIENCE)).isEqualTo("nobody paid");
            assertThat(calls).containsExactlyInAnyOrder("reserve 1", "reserve 2", "pack 1", "release r2");
        }
    }

    private static void until(Windrow windrow, ManualTime time, JobRef<?> job, JobState state) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
            if (windrow.job(job).history().job().state() == state) {
                return true;
            }
            time.advance(Duration.ofSeconds(30));
            return false;
        });
    }

    @Test
    void theLedgerHasOneLineForEachOrder() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStoreBesideTables())) {
            try (Connection connection = target.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE ledger (number INTEGER, cents INTEGER)");
            }
            try (Worker worker = StepsSnippet.book(windrow).start()) {
                assertThat(worker.name()).isNotBlank();
                assertThat(windrow.await(windrow.enqueue(StepsSnippet.BOOK, new StepsSnippet.Order(1, 5)), PATIENCE))
                        .isEqualTo("in line 1");
            }
            try (Worker worker = StepsSnippet.bookInOwn(windrow, target::begin).start()) {
                assertThat(worker.name()).isNotBlank();
                assertThat(windrow.await(windrow.enqueue(StepsSnippet.BOOK, new StepsSnippet.Order(2, 5)), PATIENCE))
                        .isEqualTo("in line 2");
            }
            assertThat(target.rows("SELECT number FROM ledger ORDER BY number")).containsExactly("1", "2");
        }
    }
}
