package dev.windrow.bench;

import java.util.EnumSet;
import java.util.Set;

/** The measurements that can be selected one by one. */
public enum Section {
    /** The same writes without an engine. */
    BARE_LOOP("bareLoop"),
    /** Enqueue and drain at the same time, against the bare loop of the same round. */
    END_TO_END("endToEnd"),
    /** Drain of jobs that were enqueued before, against the bare loop of the same round. */
    DRAIN("drain"),
    /** Enqueue without a worker, in five ways. */
    ENQUEUE("enqueue"),
    /** The time from the call of enqueue to the start of the handler. */
    START_LATENCY("startLatency"),
    /** A lone synchronous enqueue. */
    COMMIT("commit"),
    /** Claim and settle in a database with many finished jobs, against one with few. */
    CLAIM_FLATNESS("claimFlatness"),
    /** Several worker processes on one database, against one. */
    PROCESSES("processes"),
    /** All verbs on a file with many jobs in every state, and a worker with a small heap. Runs only on request. */
    SCALE("scale"),
    /** The space of finished jobs in tables and indexes. Runs only on a server, and only on request. */
    BLOAT("bloat"),
    /** Claims while another connection has an open transaction. Runs only on a server, and only on request. */
    LONG_TRANSACTION("longTransaction"),
    /** Claims while other jobs wait for a parent, and the end of a parent of many. Runs only on request. */
    DEPENDENTS("dependents");

    private final String key;

    Section(String key) {
        this.key = key;
    }

    /** Returns its name on the command line and in the report. */
    public String key() {
        return key;
    }

    /** Returns the default measurements, which fit into a few minutes and half a gigabyte. */
    public static Set<Section> usual() {
        return EnumSet.complementOf(EnumSet.of(SCALE, BLOAT, LONG_TRANSACTION, DEPENDENTS));
    }

    /** Returns the default measurements on a server, without those for files. */
    public static Set<Section> usualOnServer() {
        Set<Section> sections = usual();
        sections.removeIf(Section::isOfFilesAlone);
        return sections;
    }

    /** Returns the measurements that two builds can be compared by. */
    public static Set<Section> comparable() {
        return EnumSet.of(END_TO_END, DRAIN, ENQUEUE, START_LATENCY, COMMIT);
    }

    /** True if it can be measured only on files. */
    public boolean isOfFilesAlone() {
        return this == BARE_LOOP || this == SCALE;
    }

    /** True if it can be measured only on a server. */
    public boolean isOfServersAlone() {
        return this == BLOAT || this == LONG_TRANSACTION;
    }
}
