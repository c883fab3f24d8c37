package dev.windrow.store;

import dev.windrow.Diagnosis;

/** Describes where jobs are and how the store is set. Immutable, holds nothing open, and safe for use by many threads. */
public interface Store {
    /** The place, for people: a path or a URL without secrets. */
    String location();

    /**
     * Opens the store: creates or migrates the schema, and starts its threads. Each call opens another one.
     *
     * @throws dev.windrow.IncompatibleStoreException if the target is no store that this code can open
     * @throws dev.windrow.StoreUnavailableException if it cannot be opened now
     */
    OpenStore open(StoreEnvironment environment);

    /**
     * Examines the store: whether it is whole, whether its parts agree, and whether jobs get on. Writes nothing, repairs
     * nothing, migrates nothing and makes nothing; holds up no writer. Has no deadline: it reads
     * all there is, or what there is time for by the request. An interrupt of the caller ends it. What cannot be checked is a check that has
     * failed; what was not finished, for want of time, one that has a note, unless it has found something. Of the queries by which jobs move,
     * are found and are counted, those that only read are run, and the others are not.
     *
     * @throws dev.windrow.StoreUnavailableException if there is no store
     */
    Diagnosis diagnose(DiagnoseRequest request);
}
