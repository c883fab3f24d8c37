package dev.windrow.sqlite;

/** The failures that a commit survives. */
public enum Durability {
    /** Power loss: each shared commit waits for the disk ({@code synchronous=FULL}). The default. */
    FULL,
    /**
     * The end of the process, but not of the machine: a power loss may undo the last commits ({@code synchronous=NORMAL}). The file stays consistent.
     */
    NORMAL
}
