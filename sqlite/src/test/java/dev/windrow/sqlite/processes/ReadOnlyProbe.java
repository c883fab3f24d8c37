package dev.windrow.sqlite.processes;

import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.connection.Readers;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.store.job.Touch;
import dev.windrow.store.query.PageRequest;
import dev.windrow.testkit.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Opens stores where it may not write, and prints the results. Runs without root's powers. */
public final class ReadOnlyProbe {
    private ReadOnlyProbe() {}

    public static void main(String[] arguments) throws Exception {
        System.setProperty("java.io.tmpdir", arguments[0]);
        Path closed = Files.createDirectory(Path.of(arguments[0], "closed"));
        Path file = closed.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
        }
        allow(file, "r--r--r--");
        attempt("file", file);
        look("file", file);
        allow(closed, "r-xr-xr-x");
        attempt("folder", closed.resolve("other.db"));
        attempt("both", file);
        look("both", file);
        examine("both", file);
        backUp("both", file, Path.of(arguments[0], "copy.db"));
        allow(file, "rw-r--r--");
        look("folder", file);
        allow(file, "-w-------");
        look("secret", file);
        try (var names = Files.list(closed)) {
            System.out.println(
                    "files: " + names.map(name -> name.getFileName().toString()).toList());
        }
        allow(file, "r--r--r--");
        writeMeanwhile(closed, file);
        copied(closed, file, Path.of(arguments[0]));
        try (StoreDriver store = Stores.open(file)) {
            // Another process keeps the file open: all files that are needed for reading exist, and none is created.
            allow(file, "r--r--r--");
            look("open", file);
            examine("open", file);
            allow(file, "rw-r--r--");
            System.exit(store.claim(5).size() == 4 ? 0 : 3);
        }
    }

    /** Covers a process that may write the file. It writes while the file is read as an unchanging one, and between two reads. */
    private static void writeMeanwhile(Path closed, Path file) throws IOException {
        SqliteFile unchanging = new SqliteFile(file, Durability.FULL, 1000);
        try (StoreDriver reader = reader(file);
                Readers readers = new Readers(unchanging, unchanging::openExaminer, 60_000_000_000L, "probe")) {
            System.out.println("before: " + jobs(reader));
            for (boolean damaged : new boolean[] {false, true}) {
                try {
                    readers.read("the read", statements -> {
                        write(closed, file);
                        if (damaged) {
                            throw new SQLiteException("as if", SQLiteErrorCode.SQLITE_CORRUPT);
                        }
                        return true;
                    });
                } catch (WindrowException e) {
                    System.out.println("meanwhile " + damaged + ": " + e.getMessage());
                }
            }
            System.out.println("repeated: " + readers.read("the read", statements -> "fine"));
            System.out.println("after: " + jobs(reader));
        }
        allow(closed, "rwxr-xr-x");
        allow(file, "rw-r--r--");
    }

    private static void write(Path closed, Path file) throws SQLException {
        try {
            allow(closed, "rwxr-xr-x");
            allow(file, "rw-r--r--");
            try (StoreDriver store = Stores.open(file)) {
                store.enqueue(NewRow.job());
            }
            allow(file, "r--r--r--");
            allow(closed, "r-xr-xr-x");
        } catch (IOException e) {
            throw new SQLException(e);
        }
    }

    /** Copies the file and its log, as a killed store leaves them, to a folder where nothing can be written. */
    private static void copied(Path closed, Path file, Path folder) throws IOException, InterruptedException {
        for (String ending : List.of("", "-shm")) {
            Path copy = Files.createDirectory(folder.resolve("copy" + ending));
            try (StoreDriver store = Stores.open(file)) {
                if (ending.isEmpty()) {
                    store.enqueue(NewRow.job());
                } else {
                    store.store().submit(new Touch()).join();
                }
                // By another process: closing a descriptor here would drop the locks of this process.
                for (String name : List.of("jobs.db", "jobs.db-wal", "jobs.db" + ending)) {
                    int status = new ProcessBuilder("cp", closed.resolve(name).toString(), copy.toString())
                            .start()
                            .waitFor();
                    if (status != 0) {
                        throw new IOException(name + " is not copied");
                    }
                }
            }
            try (var copies = Files.list(copy)) {
                for (Path each : copies.toList()) {
                    allow(each, "r--r--r--");
                }
            }
            allow(copy, "r-xr-xr-x");
            look("log" + ending, copy.resolve("jobs.db"));
            allow(copy, "rwxr-xr-x");
        }
    }

    private static void allow(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static StoreDriver reader(Path file) {
        return new StoreDriver(SqliteStore.configure(file).readOnly().build(), new ManualTime());
    }

    private static int jobs(StoreDriver store) {
        return store.store().list(PageRequest.of(JobFilter.ALL)).jobs().size();
    }

    private static void look(String what, Path file) {
        try (StoreDriver store = reader(file)) {
            System.out.println("look at " + what + ": jobs " + jobs(store));
        } catch (WindrowException e) {
            System.out.println("look at " + what + ": " + e.getMessage());
        }
    }

    private static void examine(String what, Path file) {
        try {
            Diagnosis diagnosis = Windrow.diagnose(SqliteStore.at(file), DiagnoseOptions.ALL);
            System.out.println("examine " + what + ": failed " + diagnosis.failed());
            diagnosis.checks().stream()
                    .filter(check -> check.result() == Diagnosis.Result.NOTE)
                    .forEach(check -> System.out.println("note " + what + ": " + check.name() + ": " + check.detail()));
        } catch (WindrowException e) {
            System.out.println("examine " + what + ": " + e.getMessage());
        }
    }

    private static void backUp(String what, Path file, Path copy) {
        try {
            System.out.println("back up " + what + ": " + SqliteStore.at(file).backup(copy));
        } catch (WindrowException e) {
            System.out.println("back up " + what + ": " + e.getMessage());
        }
    }

    private static void attempt(String what, Path file) {
        try {
            Stores.open(file).close();
            System.out.println(what + ": opened");
        } catch (WindrowException e) {
            System.out.println(what + ": " + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }
}
