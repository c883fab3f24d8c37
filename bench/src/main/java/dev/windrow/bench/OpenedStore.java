package dev.windrow.bench;

import dev.windrow.Store;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.transfer.CopyPlace;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A store that also gives access to the store that a {@link dev.windrow.Windrow} has opened, so that its verbs can be
 * timed one by one.
 */
final class OpenedStore extends StoreProvider {
    private final Store store;
    private volatile @Nullable OpenStore opened;

    OpenedStore(Store store) {
        this.store = store;
    }

    @Override
    public String location() {
        return store.location();
    }

    @Override
    protected OpenStore open(StoreEnvironment environment) {
        OpenStore open = StoreProvider.open(store, environment);
        opened = open;
        return open;
    }

    /** Returns the verbs of the store that was opened last. */
    OpenStore verbs() {
        return Objects.requireNonNull(opened, "the store is not open");
    }

    @Override
    protected Diagnosis diagnose(DiagnoseRequest request) {
        return StoreProvider.diagnose(store, request);
    }

    @Override
    protected CopyPlace copyPlace() {
        return StoreProvider.copyPlace(store);
    }
}
