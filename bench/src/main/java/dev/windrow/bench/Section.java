package dev.windrow.bench;

import java.util.EnumSet;
import java.util.Set;

/** What can be measured on its own. */
public enum Section {
    /** The same writes without an engine. */
    BARE_LOOP("bareLoop"),
    /** Enqueue and drain at once, against the bare loop of the same round. */
    END_TO_END("endToEnd"),
    /** Drain of jobs that were enqueued before, against the bare loop of the same round. */
    DRAIN("drain"),
    /** Enqueue without a worker, in five ways. */
    ENQUEUE("enqueue"),
    /** From the call of enqueue to the start of the handler. */
    START_LATENCY("startLatency"),
    /** A lone synchronous enqueue. */
    COMMIT("commit"),
    /** Claim and settle behind many finished jobs, against few. */
    CLAIM_FLATNESS("claimFlatness"),
    /** Several worker processes on one database, against one. */
    PROCESSES("processes"),
    /** All verbs on a file with many jobs in every state, and a worker with a small heap. Only where it is asked for. */
    SCALE("scale"),
    /** What finished jobs leave in tables and indexes. Only on a server, and only where it is asked for. */
    BLOAT("bloat"),
    /** Claims while somebody else keeps a transaction open. Only on a server, and only where it is asked for. */
    LONG_TRANSACTION("longTransaction"),
    /** Claims beside jobs that wait for a parent, and the end of a parent of many. Only where it is asked for. */
    DEPENDENTS("dependents");

    private final String key;

    Section(String key) {
        this.key = key;
    }

    /** How it is called on the command line and in the answer. */
    public String key() {
        return key;
    }

    /** What is measured if nothing else is said: what fits into a few minutes and half a gigabyte. */
    public static Set<Section> usual() {
        return EnumSet.complementOf(EnumSet.of(SCALE, BLOAT, LONG_TRANSACTION, DEPENDENTS));
    }

    /** The same on a server: what is only known of files is left out. */
    public static Set<Section> usualOnServer() {
        Set<Section> sections = usual();
        sections.removeIf(Section::isOfFilesAlone);
        return sections;
    }

    /** Whether it can be measured on files alone. */
    public boolean isOfFilesAlone() {
        return this == BARE_LOOP || this == SCALE;
    }

    /** Whether it can be measured on a server alone. */
    public boolean isOfServersAlone() {
        return this == BLOAT || this == LONG_TRANSACTION;
    }
}
