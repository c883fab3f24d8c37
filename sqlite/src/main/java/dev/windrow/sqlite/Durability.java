package dev.windrow.sqlite;

/** What a commit survives. */
public enum Durability {
    /** Power loss: each shared commit waits for the disk ({@code synchronous=FULL}). The default. */
    FULL,
    /**
     * The end of the process, but not of the machine: a power loss may undo the commits of the last moments ({@code
     * synchronous=NORMAL}). The file stays consistent.
     */
    NORMAL
}
