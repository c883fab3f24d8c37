package dev.windrow.store;

import dev.windrow.InvalidRequestException;
import dev.windrow.Store;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.transfer.CopyPlace;

/**
 * The engine's view of a {@link Store}: it can be opened, examined and copied. Its methods are protected. The engine calls them by the static methods
 * of the same names, so that they are not part of the public API of a store.
 */
public abstract class StoreProvider implements Store {
    /** Creates the base of a store. */
    protected StoreProvider() {}

    /**
     * Opens a store: creates or migrates the schema, and starts its threads. Each call opens another one.
     *
     * @throws dev.windrow.IncompatibleStoreException if the target is no store that this code can open
     * @throws dev.windrow.StoreUnavailableException if it cannot be opened now
     */
    public static OpenStore open(Store store, StoreEnvironment environment) {
        return of(store).open(environment);
    }

    /**
     * Examines a store: its structure, the consistency of its data, and the progress of its jobs. It changes and creates nothing, and blocks no
     * writer. Without a budget in the request it reads everything. An interrupt of the caller ends it. A check that could not be made counts as
     * failed. A check that ran out of time has a note, unless it has found something. The store moves, finds and counts jobs by queries. The
     * examination runs the ones that only read.
     *
     * @throws dev.windrow.StoreUnavailableException if the store does not exist
     */
    public static Diagnosis diagnose(Store store, DiagnoseRequest request) {
        return of(store).diagnose(request);
    }

    /** Returns the location of a store's queue, for copies and moves. */
    public static CopyPlace copyPlace(Store store) {
        return of(store).copyPlace();
    }

    private static StoreProvider of(Store store) {
        if (store instanceof StoreProvider provider) {
            return provider;
        }
        throw new InvalidRequestException("store %s is not allowed: a SqliteStore or a PostgresStore"
                .formatted(store.getClass().getName()));
    }

    /** Opens this store; see {@link #open(Store, StoreEnvironment)}. */
    protected abstract OpenStore open(StoreEnvironment environment);

    /** Examines this store; see {@link #diagnose(Store, DiagnoseRequest)}. */
    protected abstract Diagnosis diagnose(DiagnoseRequest request);

    /** Returns the location of this store's queue; see {@link #copyPlace(Store)}. */
    protected abstract CopyPlace copyPlace();
}
