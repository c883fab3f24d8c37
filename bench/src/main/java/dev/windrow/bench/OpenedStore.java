package dev.windrow.bench;

import dev.windrow.Diagnosis;
import dev.windrow.store.DiagnoseRequest;
import dev.windrow.store.OpenStore;
import dev.windrow.store.Store;
import dev.windrow.store.StoreEnvironment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A store that also gives out what a {@link dev.windrow.engine.Windrow} has opened, so that its verbs can be timed one by one. */
final class OpenedStore implements Store {
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
    public OpenStore open(StoreEnvironment environment) {
        OpenStore open = store.open(environment);
        opened = open;
        return open;
    }

    /** The verbs of the store that was opened last. */
    OpenStore verbs() {
        return Objects.requireNonNull(opened, "the store is not open");
    }

    @Override
    public Diagnosis diagnose(DiagnoseRequest request) {
        return store.diagnose(request);
    }
}
