package dev.windrow.postgres.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.LimitTarget;
import dev.windrow.postgres.Disturbance;
import dev.windrow.postgres.TwoTransactions;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rows that a claim locks, and the jobs that it gets besides the jobs that other transactions have locked. */
class ClaimLocksTest extends TwoTransactions {
    private static final List<String> TYPES = List.of("a", "b", "c", "d", "e", "f", "g", "h");

    private StoreDriver store;

    @BeforeEach
    void openStore() {
        store = open(disturbance);
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    /** Sets a limit above the number of jobs. */
    private void limit(boolean limited) {
        if (limited) {
            StoreDriver.answer(
                    KeyLimits.change(store.store(), LimitChange.limit(LimitTarget.queue("q"), "anna", 1_000_000)));
        }
    }

    private static Claim request(int limit) {
        return StoreDriver.request("w", Set.of("q"), new LinkedHashSet<>(TYPES), limit);
    }

    private List<Long> claim(int limit) {
        return store.claim(request(limit)).jobs().stream().map(ClaimedJob::id).toList();
    }

    private List<Long> enqueue(int jobs, String type, int priority) {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            ids.add(store.enqueue(NewRow.of("q", type).priority(priority)));
        }
        return ids;
    }

    private List<Long> free() throws SQLException {
        return tables.rows("SELECT id FROM windrow_jobs FOR NO KEY UPDATE SKIP LOCKED").stream()
                .map(Long::valueOf)
                .toList();
    }

    private interface Meanwhile {
        void run() throws SQLException;
    }

    private void whileAnotherLocks(List<Long> jobs, Meanwhile meanwhile) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(tables.tables()
                    .inSchema("SELECT 1 FROM windrow_jobs WHERE id IN (%s) FOR SHARE"
                            .formatted(jobs.stream().map(String::valueOf).collect(Collectors.joining(",")))));
            meanwhile.run();
            connection.rollback();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimLocksOnlyTheJobsThatItClaims(boolean limited) {
        limit(limited);
        List<Long> all = new ArrayList<>();
        for (String type : TYPES) {
            all.addAll(enqueue(3, type, 0));
        }
        AtomicReference<List<Long>> free = new AtomicReference<>(List.of());
        disturbance.of(Claim.class).beforeCommit(session -> free.set(free()));
        List<Long> claimed = claim(3);
        assertThat(claimed).hasSize(3);
        all.removeAll(claimed);
        assertThat(free.get()).containsExactlyInAnyOrderElementsOf(all);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoConcurrentClaimsTakeTheBestJobsInOrder(boolean limited) {
        limit(limited);
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            for (String type : TYPES) {
                all.addAll(enqueue(1, type, 0));
            }
        }
        AtomicReference<List<Long>> second = new AtomicReference<>();
        try (StoreDriver other = open(new Disturbance())) {
            disturbance
                    .of(Claim.class)
                    .beforeCommit(session -> second.set(other.claim(request(5)).jobs().stream()
                            .map(ClaimedJob::id)
                            .toList()));
            assertThat(claim(5)).isEqualTo(all.subList(0, 5));
        }
        // The first claim has locked the limit, and other claims try again later.
        assertThat(second.get()).isEqualTo(limited ? List.of() : all.subList(5, 10));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theBestUnlockedJobsAreFoundBehindAnyNumberOfLockedOnes(boolean limited) throws SQLException {
        limit(limited);
        List<Long> locked = enqueue(150, "a", 5);
        List<Long> last = enqueue(2, "a", 0);
        List<Long> middle = enqueue(3, "b", 3);
        locked.addAll(enqueue(50, "b", 4));
        whileAnotherLocks(locked, () -> {
            assertThat(claim(1)).isEqualTo(middle.subList(0, 1));
            assertThat(claim(3)).containsExactly(middle.get(1), middle.get(2), last.get(0));
            assertThat(claim(10)).isEqualTo(last.subList(1, 2));
            assertThat(claim(10)).isEmpty();
        });
        // They are before the cursors. On a busy machine not every claim looks there.
        List<Long> rest = new ArrayList<>();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            rest.addAll(claim(1000));
            return rest.size() == locked.size();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aLimitHoldsAlthoughJobsWithinItAreLocked(int room) throws SQLException {
        StoreDriver.answer(KeyLimits.change(store.store(), LimitChange.limit(LimitTarget.type("a"), "anna", room)));
        List<Long> locked = enqueue(20, "a", 5);
        List<Long> free = enqueue(5, "a", 4);
        List<Long> others = enqueue(5, "b", 0);
        whileAnotherLocks(locked, () -> {
            List<Long> expected = new ArrayList<>(free.subList(0, room));
            expected.addAll(others.subList(0, 4 - room));
            assertThat(claim(4)).isEqualTo(expected);
            assertThat(claim(1)).isEqualTo(others.subList(4 - room, 5 - room));
        });
    }
}
