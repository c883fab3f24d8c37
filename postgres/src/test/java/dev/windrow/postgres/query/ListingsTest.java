package dev.windrow.postgres.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobInfo;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.postgres.TestTables;
import dev.windrow.query.JobFilter;
import dev.windrow.store.query.PageRequest;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testserver.PostgresServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The access path of a listing with very many lanes. Only the time shows which path a listing takes. */
class ListingsTest {
    @Test
    void aTypeWithMoreLanesThanTheMergeLimitIsListedFromAllJobs() throws Exception {
        PostgresServer server = PostgresServer.shared();
        String schema = server.newSchema();
        try (StoreDriver store = new StoreDriver(
                        PostgresStore.configure(server.url()).schema(schema).build(), new ManualTime());
                TestTables tables = TestTables.open(server, schema)) {
            List<Long> ids = new ArrayList<>(store.enqueueAll(Collections.nCopies(900, NewRow.of("q0", "t"))));
            store.enqueueAll(Collections.nCopies(900, NewRow.of("q0", "u")));
            tables.execute(
                    "INSERT INTO windrow_lanes (queue, type) SELECT 'q' || i, 't' FROM generate_series(1, 10000) i");
            ids.addAll(store.enqueueAll(Collections.nCopies(3, NewRow.of("q9999", "t"))));
            PageRequest query = PageRequest.of(JobFilter.ALL.withType("t")).limit(1000);
            assertThat(store.store().list(query.oldestFirst()).jobs())
                    .extracting(JobInfo::id)
                    .isEqualTo(ids);
            assertThat(store.store().list(query.limit(4)).jobs())
                    .extracting(JobInfo::id)
                    .containsExactly(ids.get(902), ids.get(901), ids.get(900), ids.get(899));
        }
    }
}
