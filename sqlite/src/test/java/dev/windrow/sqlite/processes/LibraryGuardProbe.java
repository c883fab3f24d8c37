package dev.windrow.sqlite.processes;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.Windrow;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.LibraryGuard;
import dev.windrow.store.job.Enqueue;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * Opens a file by the driver of the store and by a second copy of it, and prints the refusals. Runs in a process of its own, because a native library
 * stays loaded.
 */
final class LibraryGuardProbe {
    private LibraryGuardProbe() {}

    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        Stores.open(file).close();

        try (TestDatabase pool = TestDatabase.open(file)) {
            pool.one("SELECT count(*) FROM windrow_jobs");
            attempt("a pool of this copy", () -> Stores.open(file).close());
            pool.execute("BEGIN IMMEDIATE");
            attempt("a pool that writes", () -> Stores.open(file).close());
            System.out.println("after that "
                    + ChildProcess.run(LockProbe.class, file).text().strip());
            pool.execute("ROLLBACK");
        }

        try (URLClassLoader loader =
                new URLClassLoader(classPath("sqlite-jdbc", "slf4j"), ClassLoader.getPlatformClassLoader())) {
            Driver other = (Driver)
                    loader.loadClass("org.sqlite.JDBC").getDeclaredConstructor().newInstance();
            try (Connection elsewhere = connect(other, file.resolveSibling("other.db"))) {
                attempt("another copy on another file", () -> Stores.open(file).close());
                try (StoreDriver store = Stores.open(file);
                        TestDatabase pool = TestDatabase.open(file)) {
                    store.enqueue(NewRow.job());
                    pool.one("SELECT count(*) FROM windrow_jobs");
                    attempt("another copy on another file, examined", () -> examine(file));
                    elsewhere.setAutoCommit(false);
                    attempt(
                            "a transaction of another copy",
                            () -> store.store()
                                    .apply(
                                            elsewhere,
                                            new Enqueue(List.of(NewRow.job().row()))));
                    List<String> mapped = Files.readAllLines(Path.of("/proc/self/maps"));
                    System.out.println(
                            "copies " + LibraryGuard.libraries(mapped).size() + ", on this file "
                                    + LibraryGuard.users(mapped, file.toRealPath()));
                }
            }
            try (Connection before = connect(other, file);
                    Statement statement = before.createStatement()) {
                statement.executeQuery("SELECT count(*) FROM windrow_jobs").close();
                attempt("another copy on this file", () -> Stores.open(file).close());
                Path link = file.resolveSibling("link.db");
                Files.createLink(link, file);
                attempt(
                        "another copy on this file by another name",
                        () -> Stores.open(link).close());
            }
            attempt(
                    "after the other copy has closed this file",
                    () -> Stores.open(file).close());
        }

        try (StoreDriver store = Stores.open(file);
                URLClassLoader copy = new URLClassLoader(classPath(""), ClassLoader.getPlatformClassLoader())) {
            Method probe = copy.loadClass(EnqueueProbe.class.getName()).getDeclaredMethod("main", String[].class);
            probe.setAccessible(true);
            attempt("another copy of the library", () -> invoke(probe, file));
            attempt("the first copy of the library", () -> store.enqueue(NewRow.job()));
        }
    }

    private static void invoke(Method probe, Path file) throws Exception {
        try {
            probe.invoke(null, (Object) new String[] {file.toString()});
        } catch (InvocationTargetException e) {
            throw (Exception) e.getCause();
        }
    }

    private static Connection connect(Driver driver, Path file) throws Exception {
        return driver.connect("jdbc:sqlite:" + file, new Properties());
    }

    private static void examine(Path file) {
        Diagnosis diagnosis = Windrow.diagnose(SqliteStore.at(file), DiagnoseOptions.ALL.withoutIndexes());
        if (!diagnosis.isOk()) {
            throw new IllegalStateException(diagnosis.failed().toString());
        }
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private static void attempt(String what, Attempt attempt) {
        try {
            attempt.run();
            System.out.println(what + ": accepted");
        } catch (Exception e) {
            System.out.println(what + ": "
                    + (e instanceof IncompatibleStoreException
                            ? "refused"
                            : e.getClass().getSimpleName()) + ": " + e.getMessage());
        }
    }

    /** Returns the entries of the class path whose names contain one of these. */
    static URL[] classPath(String... names) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (Stream.of(names).anyMatch(entry::contains)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }
}
