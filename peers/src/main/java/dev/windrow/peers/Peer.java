package dev.windrow.peers;

/** A job queue with the setup of a typical user. */
abstract class Peer {
    private final String name;
    private final Place place;
    private final String setup;

    Peer(String name, Place place, String setup) {
        this.name = name;
        this.place = place;
        this.setup = setup;
    }

    final String name() {
        return name;
    }

    final Place place() {
        return place;
    }

    /** Returns its setup, in a few words. */
    final String setup() {
        return setup;
    }

    /** Opens it on a database that does not exist yet, without a worker. */
    abstract Subject open(Place.Ground ground, Ledger ledger) throws Exception;

    /** A peer on one database. Jobs are numbered from 0. Safe for use by several threads. */
    interface Subject extends AutoCloseable {
        /** Enqueues a job; returns when the job is committed. */
        void enqueue(int number) throws Exception;

        /**
         * Enqueues jobs from the first number on, as fast as this queue can take many; returns when they are committed.
         */
        void enqueueAll(int first, int count) throws Exception;

        /** Starts to run jobs on this number of threads. Each job only reports its number to the ledger. */
        void work(int slots) throws Exception;

        /** Returns the number of jobs in the database that have not succeeded. */
        long unfinished() throws Exception;

        @Override
        void close();
    }
}
