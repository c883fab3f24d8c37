package dev.windrow.testkit;

import dev.windrow.Store;
import dev.windrow.Windrow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A folder with the files of an empty store. Each test gets a copy, because a copy costs less than the creation of the tables. */
final class StoreTemplate implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    private final Path folder;

    private StoreTemplate(Path folder) {
        this.folder = folder;
    }

    /** Returns the template of this run of JUnit, created at the first call. */
    static StoreTemplate of(ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.create(StoreTemplate.class))
                .getOrComputeIfAbsent("template", key -> create(), StoreTemplate.class);
    }

    private static StoreTemplate create() {
        Path folder = newFolder();
        Windrow.open(storeIn(folder)).close();
        return new StoreTemplate(folder);
    }

    private static Path newFolder() {
        try {
            return Files.createTempDirectory("windrow-test");
        } catch (IOException e) {
            throw new UncheckedIOException("a folder for a store of a test could not be created", e);
        }
    }

    private static Store storeIn(Path folder) {
        return StorePlace.find(stores -> stores.inFolder(folder));
    }

    /** Returns a copy, in a new folder. */
    StorePlace copy() {
        Path copy = newFolder();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Path unused = Files.copy(file, copy.resolve(file.getFileName()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the store of a test could not be copied to " + copy, e);
        }
        return new StorePlace(storeIn(copy), () -> delete(copy));
    }

    private static void delete(Path folder) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(folder)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : all) {
            boolean unused = Files.deleteIfExists(file);
        }
    }

    @Override
    public void close() throws IOException {
        delete(folder);
    }
}
