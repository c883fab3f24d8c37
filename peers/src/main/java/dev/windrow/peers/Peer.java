package dev.windrow.peers;

import java.nio.file.Path;

/** A job queue as a user would set it up on one SQLite file. */
interface Peer {
    String name();

    /** How it was set up, in a few words. */
    String setup();

    Durability durability();

    /** Opens it on a file that is not there yet, without a worker. */
    Subject open(Path file, Ledger ledger) throws Exception;

    /** What a commit has survived when the call returns: SQLite's {@code synchronous}. */
    enum Durability {
        /** Power loss. */
        FULL,
        /** The end of the process; the last commits may be gone after power loss. */
        NORMAL
    }

    /** One file of a peer. Jobs are numbered from 0. Safe for use by several threads. */
    interface Subject extends AutoCloseable {
        /** Returns when the job is committed. */
        void enqueue(int number) throws Exception;

        /** The same for jobs from the first number on, as fast as this queue can take many. */
        void enqueueAll(int first, int count) throws Exception;

        /** Starts to run jobs on so many threads. Each job does nothing but tell the ledger its number. */
        void work(int slots) throws Exception;

        /** The jobs in the file that have not succeeded. */
        long unfinished() throws Exception;

        @Override
        void close();
    }
}
