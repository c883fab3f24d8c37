package dev.windrow.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobFilter;
import dev.windrow.JobQuery;
import dev.windrow.JobSnapshot;
import dev.windrow.JobState;
import dev.windrow.testkit.NewRow;
import dev.windrow.testkit.StoreDriver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which way a listing takes is seen in nothing but time; this is about the way that is taken where very many jobs wait. */
class ListingsTest {
    @TempDir
    Path folder;

    @Test
    void whereVeryManyJobsWaitTheyAreFoundWithoutSortingThem() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueueAll(Collections.nCopies(700, NewRow.of("q", "u")));
            store.claim(StoreDriver.request("w", Set.of("q"), Set.of("u"), 700));
            List<Long> pending = store.enqueueAll(Collections.nCopies(5, NewRow.job()));
            // As if there were very many: nothing else reads the counters here.
            try (TestDatabase database = TestDatabase.open(file)) {
                database.execute("UPDATE windrow_counters SET n = 2000000 WHERE state = 'PENDING'");
            }
            JobQuery query = JobQuery.of(JobFilter.inState(JobState.PENDING));
            assertThat(store.store().list(query.oldestFirst()).jobs())
                    .extracting(JobSnapshot::id)
                    .isEqualTo(pending);
            List<Long> reversed = new ArrayList<>(pending);
            Collections.reverse(reversed);
            assertThat(store.store().list(query).jobs())
                    .extracting(JobSnapshot::id)
                    .isEqualTo(reversed);
        }
    }
}
