package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.Once;
import dev.windrow.tests.processes.Child;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Failure class 25: the remains of the log after a power loss. A process writes known transactions, on the thread of their caller, and is killed. The
 * test cuts or damages the log, or removes frames from it, and a store opens the rest. The store must hold exactly the transactions that are whole in
 * the rest of the log: each acknowledged one, and no part of the next. The test prints its seed. {@code -Dwindrow.torn.seed=N} repeats it, {@code
 * -Dwindrow.torn.cuts=N} sets the number of cuts of each kind, and {@code -Psoak} cuts at all ends of frames.
 */
@Once
class TornLogTest {
    private static final int TRANSACTIONS = 30;
    private static final int CUTS = Soak.number("windrow.torn.cuts", 12, 1500);
    private static final int LOG_HEADER = TornLogWriter.HEADER;
    private static final int FRAME = TornLogWriter.FRAME;

    @TempDir
    Path folder;

    private final List<Long> lengths = new ArrayList<>();
    private final List<String> digests = new ArrayList<>();
    private final List<String> committers = new ArrayList<>();
    private SplittableRandom random;
    private byte[] database;
    private byte[] log;
    /** The log before it was reset; empty if it was not. */
    private byte[] older = new byte[0];

    private Child writer;
    private int opened;

    private void writeAndKill(boolean hasOlderFrames) throws Exception {
        long seed = Soak.seed("windrow.torn.seed");
        System.out.println("torn log: seed " + seed);
        random = new SplittableRandom(seed);
        Path db = Files.createDirectory(folder.resolve("written")).resolve("jobs.db");
        long start = System.nanoTime();
        writer = Child.start(folder, TornLogWriter.class, db, TRANSACTIONS, random.nextLong(), hasOlderFrames);
        for (String line = writer.line(); !line.equals("done"); line = writer.line()) {
            String[] words = line.split(" ", -1);
            lengths.add(Long.valueOf(words[1]));
            digests.add(words[2]);
            committers.add(words[3]);
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        // A caller commits unless the writer's thread is awake: at its start, and for idle work, once a second at most.
        assertThat(committers)
                .as("transactions within " + seconds + " s")
                .filteredOn("writer"::equals)
                .hasSizeLessThanOrEqualTo(Math.toIntExact(1 + seconds));
        writer.kill();
        // No process has the file open, and this process never had.
        database = Files.readAllBytes(db);
        log = Files.readAllBytes(db.resolveSibling("jobs.db-wal"));
        assertThat(lengths).hasSize(TRANSACTIONS + 1).isSorted().doesNotHaveDuplicates();
        int length = Math.toIntExact(lengths.get(TRANSACTIONS));
        assertThat((length - LOG_HEADER) % FRAME).as("whole frames").isZero();
        if (hasOlderFrames) {
            older = Files.readAllBytes(db.resolveSibling("jobs.db" + TornLogWriter.OLDER));
            assertThat(older).as("the frames are written over older ones").hasSizeGreaterThan(length);
            assertThat(log).hasSameSizeAs(older);
        } else {
            assertThat(lengths.get(0)).as("the log was empty").isZero();
        }
        // Idle work may have committed sums since.
        assertThat(log).hasSizeGreaterThanOrEqualTo(length);
        log = Arrays.copyOf(log, length);
    }

    @AfterEach
    void kill() {
        if (writer != null) {
            writer.close();
        }
        if (log == null) {
            return;
        }
        System.out.printf("torn log: %d frames, opened %d times%n", (log.length - LOG_HEADER) / FRAME, opened);
    }

    /** Returns the digest after the last transaction that ends within this many bytes of the log. */
    private String acknowledgedWithin(long bytes) {
        int last = 0;
        while (last + 1 < lengths.size() && lengths.get(last + 1) <= bytes) {
            last++;
        }
        return digests.get(last);
    }

    /**
     * Asserts that a store which opens this log has the transactions that end within these bytes, and nothing of later ones.
     *
     * @param examined true to run the doctor's checks as well, which take longer
     */
    private void assertHolds(byte[] torn, long whole, String what, boolean examined) throws Exception {
        Path db = Files.createDirectory(folder.resolve("torn" + opened++)).resolve("jobs.db");
        Files.write(db, database);
        Files.write(db.resolveSibling("jobs.db-wal"), torn);
        try (StoreDriver store = new StoreDriver(SqliteStore.at(db), new ManualTime())) {
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + db)) {
                assertThat(TornLogWriter.digest(connection)).as(what).isEqualTo(acknowledgedWithin(whole));
                assertThat(History.troubles(connection)).as(what).isEmpty();
            }
            if (examined) {
                assertThat(store.diagnose().failed()).as(what).isEmpty();
            }
            store.enqueue(NewRow.job());
            assertThat(store.claim(1)).as(what).hasSize(1);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + db)) {
            assertThat(History.troubles(connection))
                    .as(what + ", after more work")
                    .isEmpty();
        }
        try (var left = Files.list(db.getParent())) {
            assertThat(left).as(what).containsExactly(db);
        }
        Files.delete(db);
    }

    private void assertCutHolds(int length) throws Exception {
        byte[] torn = withOlder(Arrays.copyOf(log, length));
        // Older bytes behind the cut may be equal to the ones that were cut off.
        int different = Arrays.mismatch(torn, 0, Math.min(torn.length, log.length), log, 0, log.length);
        assertHolds(
                torn,
                different < 0 ? log.length : different,
                "the log cut at byte " + length + " of " + log.length,
                false);
    }

    /** Returns these bytes, and the older ones that they have not replaced. */
    private byte[] withOlder(byte[] written) {
        byte[] all = Arrays.copyOf(written, Math.max(written.length, older.length));
        System.arraycopy(
                older, Math.min(written.length, older.length), all, written.length, all.length - written.length);
        return all;
    }

    @Test
    void a_log_cut_at_the_end_of_a_frame_keeps_every_acknowledged_job() throws Exception {
        writeAndKill(false);
        cutAtEndsOfFrames();
    }

    /** The frames that were not written are those of an older generation, with checksums that are right. */
    @Test
    void a_reset_log_cut_at_the_end_of_a_frame_keeps_every_acknowledged_job() throws Exception {
        writeAndKill(true);
        cutAtEndsOfFrames();
    }

    private void cutAtEndsOfFrames() throws Exception {
        int frames = (log.length - LOG_HEADER) / FRAME;
        if (Soak.isOn()) {
            for (int frame = 0; frame <= frames; frame++) {
                assertCutHolds(LOG_HEADER + frame * FRAME);
            }
        }
        assertCutHolds(0);
        assertCutHolds(log.length);
        for (int i = 0; i < CUTS; i++) {
            assertCutHolds(LOG_HEADER + random.nextInt(frames + 1) * FRAME);
            // The end of a transaction, and one frame before it.
            int end = Math.toIntExact(lengths.get(1 + random.nextInt(TRANSACTIONS)));
            assertCutHolds(end);
            assertCutHolds(Math.max(0, end - FRAME));
        }
    }

    @Test
    void a_log_cut_at_any_byte_keeps_every_acknowledged_job() throws Exception {
        writeAndKill(false);
        cutAtAnyByte();
    }

    @Test
    void a_reset_log_cut_at_any_byte_keeps_every_acknowledged_job() throws Exception {
        writeAndKill(true);
        cutAtAnyByte();
    }

    private void cutAtAnyByte() throws Exception {
        for (int i = 0; i < CUTS; i++) {
            assertCutHolds(random.nextInt(log.length));
            assertCutHolds(random.nextInt(2 * LOG_HEADER));
        }
    }

    @Test
    void a_log_with_a_damaged_byte_or_a_missing_frame_keeps_every_job_acknowledged_before_it() throws Exception {
        writeAndKill(false);
        damageBytes();
        loseFrames();
    }

    @Test
    void a_reset_log_with_a_damaged_byte_or_a_missing_frame_keeps_every_job_acknowledged_before_it() throws Exception {
        writeAndKill(true);
        damageBytes();
        loseFrames();
    }

    private void damageBytes() throws Exception {
        for (int i = 0; i < CUTS; i++) {
            assertDamageHolds(random.nextInt(log.length));
            assertDamageHolds(random.nextInt(2 * LOG_HEADER));
        }
    }

    private void assertDamageHolds(int at) throws Exception {
        byte[] damaged = log.clone();
        damaged[at] ^= (byte) (1 + random.nextInt(255));
        int whole = at < LOG_HEADER ? 0 : at - (at - LOG_HEADER) % FRAME;
        assertHolds(withOlder(damaged), whole, "byte " + at + " of the log changed", false);
    }

    /**
     * Cuts the power during the sync of a transaction. The disk may have written its frames in any order, so frames may be missing before one that is
     * there. In their places are older bytes, or zeros. All transactions before it were synced, and the next one has not begun.
     */
    private void loseFrames() throws Exception {
        byte[] before = Arrays.copyOf(older, Math.max(older.length, log.length));
        for (int i = 0; i < CUTS; i++) {
            int acknowledged = random.nextInt(TRANSACTIONS);
            // The header was synced before the first frame was written.
            int start = Math.toIntExact(Math.max(LOG_HEADER, lengths.get(acknowledged)));
            int end = Math.toIntExact(lengths.get(acknowledged + 1));
            byte[] torn = withOlder(Arrays.copyOf(log, end));
            List<Integer> lost = new ArrayList<>();
            int first = start + random.nextInt((end - start) / FRAME) * FRAME;
            for (int frame = first; frame < end; frame += FRAME) {
                if (frame == first || random.nextInt(4) == 0) {
                    System.arraycopy(before, frame, torn, frame, FRAME);
                    lost.add(frame);
                }
            }
            assertHolds(torn, start, "the frames at bytes %s of %d are missing".formatted(lost, end), true);
        }
    }
}
