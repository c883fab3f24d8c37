package dev.windrow.tests.docs.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.ChainRef;
import dev.windrow.JobRef;
import dev.windrow.JobUnsuccessfulException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import dev.windrow.workflow.ChainInfo;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Compiles and runs the code of docs/how-to/chains.md and docs/how-to/transactions.md. */
@OnEachStore
class ChainsDocTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void guideShowsCompiledCode() throws Exception {
        assertThat(Stream.of("docs/how-to/chains.md", "docs/how-to/transactions.md")
                        .flatMap(page -> Docs.blocks("java", page).stream()))
                .containsExactlyInAnyOrderElementsOf(
                        Docs.regions("tests/src/test/java/dev/windrow/tests/docs/workflow/ChainsSnippet.java"))
                .hasSize(9);
    }

    @Test
    void theChainsOfTheGuideRun() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStoreBesideTables())) {
            try (Connection connection = target.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE charges (id INTEGER, cents INTEGER)");
                statement.execute("CREATE TABLE orders (id INTEGER, cents INTEGER)");
            }
            try (Worker worker = ChainsSnippet.start(windrow, new DelegatingDataSource() {
                @Override
                public Connection getConnection() throws SQLException {
                    return target.begin();
                }
            })) {
                assertThat(worker.name()).isNotEmpty();
                assertThat(ChainsSnippet.all(windrow)).isEqualTo(204);
                ChainRef<Integer> urgent = ChainsSnippet.urgent(windrow, new ChainsSnippet.Page("u", 0));
                assertThat(windrow.awaitChain(urgent, PATIENCE)).isEqualTo(200);
                assertThat(windrow.chain(urgent).info().length()).isEqualTo(4);
                ChainRef<Integer> broken = ChainsSnippet.urgent(windrow, new ChainsSnippet.Page("u", -1));
                assertThatThrownBy(() -> windrow.awaitChain(broken, PATIENCE))
                        .isInstanceOf(JobUnsuccessfulException.class);
                assertThat(ChainsSnippet.retryFailed(windrow))
                        .extracting(ChainInfo::id)
                        .containsExactly(broken.id());
                JobRef<ChainsSnippet.Receipt> charge =
                        windrow.enqueue(ChainsSnippet.CHARGE, new ChainsSnippet.Order(7, 995));
                windrow.awaitChain(ChainRef.raw(charge.id()), PATIENCE);
                assertThat(windrow.await(charge, PATIENCE)).isEqualTo(new ChainsSnippet.Receipt(7));
                assertThat(target.rows("SELECT cents FROM charges WHERE id = 7"))
                        .containsExactly("995");
                JobRef<ChainsSnippet.Receipt> dear = ChainsSnippet.place(windrow, new ChainsSnippet.Order(8, 1995));
                windrow.awaitChain(ChainRef.raw(dear.id()), PATIENCE);
                assertThat(windrow.await(dear, PATIENCE)).isEqualTo(new ChainsSnippet.Receipt(8));
                assertThat(target.rows("SELECT cents FROM orders")).containsExactly("1995");
                assertThat(target.rows("SELECT cents FROM charges WHERE id = 8"))
                        .containsExactly("1995");
            }
        }
    }
}
