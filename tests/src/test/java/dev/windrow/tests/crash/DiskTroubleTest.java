package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.JobState;
import dev.windrow.tests.Once;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Failure class 24. The disk is full, or fails, for longer than the leases of the workers, and then recovers. No acknowledged job is lost, and no
 * refused job is stored. Each job stays with its worker, and all processes continue without help.
 */
@Once
class DiskTroubleTest {
    private static final long LEASE_MILLIS = DiskWorker.LEASE.toMillis();

    /** Space for some pages of the database's log. It is more than the workers write into their own logs. */
    private static final long ROOM_FOR_LOGS = 32_768;

    private static final String LAUNCHER =
            Path.of(System.getProperty("windrow.root"), "windrow").toString();

    @TempDir
    Path folder;

    private final List<Child> children = new ArrayList<>();
    private final Map<String, Integer> tried = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private final Map<Long, Set<JobState>> acknowledged = new HashMap<>();
    private final List<HistoryCheck.Call> starts = new ArrayList<>();
    private final List<HistoryCheck.Call> ends = new ArrayList<>();
    private String refusal = "";
    private SmallDisk disk;
    private Path db;
    private Child holder;
    private Child other;

    @BeforeEach
    void mount() throws Exception {
        disk = new SmallDisk(folder, 8);
        db = disk.path("jobs.db");
        holder = worker("holder", "held");
        other = worker("other", "default");
    }

    @AfterEach
    void unmount() {
        children.forEach(Child::close);
        disk.close();
    }

    private Child worker(String name, String queue) throws Exception {
        Child child = disk.start(DiskWorker.class, db, name, queue);
        children.add(child);
        child.await("ready");
        return child;
    }

    /** Returns the next line that begins with one of the prefixes. Records what the handlers print before it. */
    private String answer(Child child, String... prefixes) throws Exception {
        while (true) {
            String line = child.line();
            note(line);
            for (String prefix : prefixes) {
                if (line.startsWith(prefix)) {
                    return line;
                }
            }
        }
    }

    private void note(String line) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("started")) {
            starts.add(new HistoryCheck.Call(Long.parseLong(words[1]), Integer.parseInt(words[2]), words[3]));
        } else if (words[0].equals("ended")) {
            ends.add(new HistoryCheck.Call(Long.parseLong(words[1]), Integer.parseInt(words[2]), words[3]));
        }
    }

    /** Returns the job's id, or 0 when the enqueue was refused. */
    private long enqueue(Child by, String queue, String type, int size) throws Exception {
        String call = "c" + tried.size();
        tried.put(call, 1);
        by.send("enqueue " + call + " " + queue + " " + type + " " + size);
        String answer = answer(by, "ack ", "refused ", "unknown ");
        if (answer.startsWith("ack ")) {
            long id = Long.parseLong(answer.substring(answer.lastIndexOf(' ') + 1));
            acknowledged.put(id, Set.of(JobState.COMPLETED));
            return id;
        }
        assertThat(answer).startsWith("refused ").contains("nothing was written");
        refusal = answer;
        refused.add(call);
        return 0;
    }

    private long hold() throws Exception {
        long id = enqueue(other, "held", "hold", 10);
        answer(holder, "started " + id + " 1 ");
        return id;
    }

    private void awaitLeasePast(long job, long millis) {
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> {
                    other.send("held " + job);
                    return Long.parseLong(answer(other, "held ").substring("held ".length())) < -millis;
                });
    }

    private void awaitAllFinished() {
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    other.send("unfinished");
                    return answer(other, "unfinished ").equals("unfinished 0");
                });
    }

    @Test
    void a_full_disk_refuses_new_jobs_keeps_stored_ones_and_reclaims_no_live_job() throws Exception {
        assertNothingIsLostBy(new Trouble() {
            @Override
            public void begin() throws Exception {
                disk.fill();
            }

            @Override
            public void meanwhile() throws Exception {
                assertThat(refusal).contains("full", "free space");
                SmallDisk.Outcome cli = commandLine("enqueue", "disk.noop", "\"x\"");
                assertThat(cli.status()).as(cli.text()).isEqualTo(1);
                assertThat(cli.text()).contains("full", "nothing was written");
            }

            @Override
            public void end() throws Exception {
                disk.free();
            }
        });
    }

    @Test
    void a_disk_with_failing_writes_refuses_new_jobs_and_keeps_stored_and_live_ones() throws Exception {
        assertNothingIsLostBy(new Trouble() {
            @Override
            public void begin() throws Exception {
                for (Child child : children) {
                    disk.failBeyond(ROOM_FOR_LOGS, child);
                }
            }

            @Override
            public void meanwhile() {
                assertThat(refusal).contains("the disk reports an error", "IOERR_WRITE");
            }

            @Override
            public void end() throws Exception {
                for (Child child : children) {
                    disk.heal(child);
                }
            }
        });
    }

    /** Linux remounts a file system read-only only while no process has a file open for writing. */
    @Test
    void a_read_only_file_system_is_refused_with_a_remedy_until_it_is_writable() throws Exception {
        long before = enqueue(other, "default", "noop", 10);
        awaitAllFinished();
        stop();
        disk.remount("ro");
        SmallDisk.Outcome refusing = commandLine("enqueue", "disk.noop", "\"x\"");
        assertThat(refusing.status()).as(refusing.text()).isEqualTo(1);
        assertThat(refusing.text()).contains("must be writable");
        SmallDisk.Outcome working = commandLine("work");
        assertThat(working.status()).as(working.text()).isEqualTo(1);
        assertThat(working.text()).contains("must be writable");
        assertThat(disk.names()).containsExactly("jobs.db");
        disk.remount("rw");
        Child again = worker("again", "default");
        long after = enqueue(again, "default", "noop", 10);
        assertThat(after).isGreaterThan(before);
        // The job may have ended before its enqueue was acknowledged.
        while (ends.stream().noneMatch(end -> end.job() == after)) {
            note(again.line());
        }
        again.send("stop");
        answer(again, "stopped");
        check();
    }

    /** A fault that blocks all writes for a while. */
    private interface Trouble {
        void begin() throws Exception;

        void meanwhile() throws Exception;

        void end() throws Exception;
    }

    private void assertNothingIsLostBy(Trouble trouble) throws Exception {
        long first = hold();
        long second = hold();
        trouble.begin();
        // Enqueues as long as the disk has space.
        while (enqueue(other, "default", "noop", 20_000) != 0) {
            assertThat(tried.size()).isLessThan(1000);
        }
        holder.send("finish " + first);
        answer(holder, "ended " + first);
        awaitLeasePast(second, 2 * LEASE_MILLIS);
        assertThat(enqueue(other, "default", "noop", 20_000)).isZero();
        trouble.meanwhile();
        assertThat(holder.log()).contains("could not record the end of", "could not renew its leases");
        trouble.end();
        long third = enqueue(other, "held", "hold", 10);
        assertThat(third).as("accepted at once").isPositive();
        answer(holder, "started " + third + " 1 ");
        holder.send("finish " + second);
        holder.send("finish " + third);
        awaitAllFinished();
        assertThat(other.log()).contains("windrow-reclaim waits until the store can be used again");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> other.log().contains("windrow-reclaim continues: the store could not be used for "));
        stop();
        check();
        for (Child child : children) {
            assertThat(child.log()).doesNotContain(" ERROR ");
        }
    }

    private SmallDisk.Outcome commandLine(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(LAUNCHER));
        command.addAll(List.of(words));
        command.addAll(List.of("--db", db.toString()));
        return disk.run(command.toArray(String[]::new));
    }

    private void stop() throws Exception {
        for (Child child : children) {
            child.send("stop");
            answer(child, "stopped");
            assertThat(child.awaitEnd()).isZero();
        }
    }

    private void check() throws Exception {
        assertThat(disk.names()).as("left beside the database").containsExactly("jobs.db");
        History history = History.read(Target.file(disk.copyOut("jobs.db")));
        HistoryCheck.Seen seen =
                new HistoryCheck.Seen(tried, refused, acknowledged, Set.of(), starts, ends, Map.of(), Set.of(), 0);
        assertThat(HistoryCheck.of(history, seen).violations()).isEmpty();
        for (Child child : children) {
            assertThat(child.log()).doesNotContain("unexpected error", "unknown outcome", "SQLITE_BUSY");
        }
    }
}
