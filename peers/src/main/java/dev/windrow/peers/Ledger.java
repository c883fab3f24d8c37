package dev.windrow.peers;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** What has run, told by the jobs themselves: no queue is believed. */
final class Ledger {
    private static final int PAYLOAD = 100;

    private final AtomicIntegerArray runs;
    private final AtomicInteger distinct = new AtomicInteger();
    private volatile long firstNanos;

    Ledger(int jobs) {
        runs = new AtomicIntegerArray(jobs);
    }

    /** The 100 characters of a job's payload: its number and dots. */
    static String payload(int number) {
        String digits = Integer.toString(number);
        return digits + ".".repeat(PAYLOAD - digits.length());
    }

    void ran(String payload) {
        long now = System.nanoTime();
        if (runs.getAndIncrement(Integer.parseInt(payload.substring(0, payload.indexOf('.')))) == 0
                && distinct.getAndIncrement() == 0) {
            firstNanos = now;
        }
    }

    /** How many jobs have run at least once. */
    int ran() {
        return distinct.get();
    }

    /** When the first job began, by {@link System#nanoTime}; 0 before. */
    long firstNanos() {
        return firstNanos;
    }
}
