package dev.windrow.dashboard;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.payload.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records in the audit which confidential values are read over HTTP, before they are sent. A page that polls reads the same values again and again, so
 * each actor has one entry for a job within {@link #AGAIN}. An export is not repeated by a page, so each one has an entry. If an entry cannot be written,
 * the request fails.
 */
final class Reveals {
    static final Duration AGAIN = Duration.ofMinutes(10);
    /** The number of remembered reads. Without the oldest ones there are more entries than needed. */
    static final int MOST = 10_000;

    /**
     * The confidential values of an answer.
     *
     * @param jobs the jobs whose values are sent
     * @param detail what else the entry says; empty if the jobs say all
     * @param query distinguishes requests of the same detail; null if only the jobs matter
     * @param always true if each request has an entry, also a repeated one
     */
    record Reveal(
            Collection<Long> jobs,
            Map<String, String> detail,
            @Nullable String query,
            boolean always) {
        /** Returns the values of these jobs. */
        static Reveal of(Collection<Long> jobs, Map<String, String> detail) {
            return new Reveal(jobs, detail, null, false);
        }
    }

    private record Read(String actor, Object subject) {}

    /** An entry that is being written, or was written. */
    private record Entry(long at, CompletableFuture<Void> written) {}

    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    /** The oldest first. Guarded by lock. */
    private final Map<Read, Entry> known = new LinkedHashMap<>();

    Reveals(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Records a reveal in the name of an actor. Returns when the entry is durable, or entries that say the same. */
    void record(Windrow windrow, String actor, Reveal reveal) {
        record(
                actor,
                reveal,
                jobs -> windrow.as(actor)
                        .monitor()
                        .recordReveal(jobs.stream().map(JobRef::<Json>raw).toList(), reveal.detail));
    }

    /**
     * Writes an entry with the jobs that the actor has not read lately, if there is anything new.
     *
     * @param write writes the entry
     */
    void record(String actor, Reveal reveal, Consumer<List<Long>> write) {
        if (reveal.always) {
            written(write, List.copyOf(reveal.jobs));
            return;
        }
        Set<Object> left = new LinkedHashSet<>(reveal.jobs);
        if (reveal.query != null) {
            left.add(reveal.query);
        }
        while (!left.isEmpty()) {
            Entry entry = new Entry(nanoTime.getAsLong(), new CompletableFuture<>());
            List<Read> mine = new ArrayList<>();
            Map<Object, Entry> others = new LinkedHashMap<>();
            lock.lock();
            try {
                forget(entry.at);
                for (Object subject : left) {
                    claim(new Read(actor, subject), entry, mine, others);
                }
            } finally {
                lock.unlock();
            }
            if (!mine.isEmpty()) {
                write(mine, entry, write);
            }
            // If the entry of another request failed, this one tries by itself.
            others.values().removeIf(Reveals::isWritten);
            left.retainAll(others.keySet());
        }
    }

    private void claim(Read read, Entry entry, List<Read> mine, Map<Object, Entry> others) {
        Entry other = known.putIfAbsent(read, entry);
        if (other == null) {
            mine.add(read);
        } else {
            others.put(read.subject, other);
        }
    }

    /** Forgets old reads, and the oldest ones if there are too many. */
    private void forget(long now) {
        Iterator<Entry> oldest = known.values().iterator();
        for (int left = known.size(); oldest.hasNext(); left--) {
            if (now - oldest.next().at < AGAIN.toNanos() && left <= MOST) {
                return;
            }
            oldest.remove();
        }
    }

    private void write(List<Read> mine, Entry entry, Consumer<List<Long>> write) {
        List<Long> jobs = mine.stream()
                .filter(read -> read.subject instanceof Long)
                .map(read -> (Long) read.subject)
                .toList();
        try {
            written(write, jobs);
            entry.written.complete(null);
        } finally {
            if (!entry.written.isDone()) {
                lock.lock();
                try {
                    mine.forEach(read -> known.remove(read, entry));
                } finally {
                    lock.unlock();
                }
                entry.written.cancel(false);
            }
        }
    }

    private static void written(Consumer<List<Long>> write, List<Long> jobs) {
        try {
            write.accept(jobs);
        } catch (WindrowException e) {
            throw unavailable(e);
        }
    }

    /** Waits for the entry of another request. Returns false if it could not be written. */
    private static boolean isWritten(Entry other) {
        try {
            other.written.join();
            return true;
        } catch (CancellationException e) {
            return false;
        }
    }

    /** Returns the exception that says to the client that nothing was shown, and that it may try again. */
    private static WindrowException unavailable(Exception e) {
        return e instanceof InvalidRequestException refused
                ? refused
                : new StoreUnavailableException("the entry of a reveal could not be written to the audit", e);
    }
}
