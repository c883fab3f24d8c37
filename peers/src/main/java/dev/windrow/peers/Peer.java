package dev.windrow.peers;

/** A job queue as a user would set it up. */
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

    /** How it was set up, in a few words. */
    final String setup() {
        return setup;
    }

    /** Opens it on a database that is not there yet, without a worker. */
    abstract Subject open(Place.Ground ground, Ledger ledger) throws Exception;

    /** A peer on one database. Jobs are numbered from 0. Safe for use by several threads. */
    interface Subject extends AutoCloseable {
        /** Returns when the job is committed. */
        void enqueue(int number) throws Exception;

        /** The same for jobs from the first number on, as fast as this queue can take many. */
        void enqueueAll(int first, int count) throws Exception;

        /** Starts to run jobs on so many threads. Each job does nothing but tell the ledger its number. */
        void work(int slots) throws Exception;

        /** The jobs in the database that have not succeeded. */
        long unfinished() throws Exception;

        @Override
        void close();
    }
}
