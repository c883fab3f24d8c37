package dev.windrow.peers;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/** The record of the jobs that ran, written by the jobs themselves, without trust in any queue. */
final class Ledger {
    private static final int PAYLOAD = 100;

    private final AtomicIntegerArray runs;
    private final AtomicLongArray begun;
    private final AtomicInteger distinct = new AtomicInteger();
    private volatile long firstNanos;

    Ledger(int jobs) {
        runs = new AtomicIntegerArray(jobs);
        begun = new AtomicLongArray(jobs);
    }

    /** Returns the 100 characters of a job's payload: its number and dots. */
    static String payload(int number) {
        String digits = Integer.toString(number);
        return digits + ".".repeat(PAYLOAD - digits.length());
    }

    void ran(String payload) {
        long now = System.nanoTime();
        int number = Integer.parseInt(payload.substring(0, payload.indexOf('.')));
        if (runs.getAndIncrement(number) == 0) {
            begun.set(number, now);
            if (distinct.getAndIncrement() == 0) {
                firstNanos = now;
            }
        }
    }

    /** Returns how many jobs have run at least once. */
    int ran() {
        return distinct.get();
    }

    /** Returns the begin of a job, by {@link System#nanoTime}; 0 before. */
    long begunNanos(int number) {
        return begun.get(number);
    }

    /** Returns the begin of the first job, by {@link System#nanoTime}; 0 before. */
    long firstNanos() {
        return firstNanos;
    }
}
