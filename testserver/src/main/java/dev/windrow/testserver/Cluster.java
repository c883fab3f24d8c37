package dev.windrow.testserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One data folder and the server on it. A watch shell runs for each cluster and waits for the end of its standard input. The input ends when the
 * cluster is closed, and when this JVM ends in any way. Then the shell ends the server and removes the folder.
 */
final class Cluster implements AutoCloseable {
    /** The owner of the databases, who needs no password on this machine. */
    static final String USER = "postgres";

    private static final String HOST = "127.0.0.1";
    private static final long PATIENCE_SECONDS = 60;
    private static final int PORTS_TRIED = 10;

    /** The message of the server when another program has the port. */
    private static final String PORT_TAKEN = "could not create any TCP/IP sockets";

    /** The message of the server when one of its processes has crashed. The server then breaks all connections, and recovers. */
    private static final String CRASHED = "terminating any other active server processes";

    private static final int LINES_AROUND = 40;
    private static final long LOOK_MILLIS = 250;

    /** The settings in addition to the defaults. */
    private static final List<String> SETTINGS = List.of(
            "listen_addresses=" + HOST,
            "unix_socket_directories=",
            "max_connections=200",
            "synchronous_commit=on",
            // In the data folder and not in /dev/shm, where the files would stay after a kill.
            "dynamic_shared_memory_type=mmap");

    /**
     * The script that ends the programs that work in the data folder {@code $1}, and the programs that they start at the same time. It finds them by
     * their folder, because the children of a dead server have no parent. It checks their names, because a user's shell may be in the folder.
     */
    private static final String KILL = """
            while :; do
              left=0
              for each in /proc/[0-9]*; do
                if [ "$each/cwd" -ef "$1" ]; then
                  read -r name <"$each/comm"
                  case $name in
                    postgres | cp) left=1; kill -KILL "${each#/proc/}" ;;
                  esac
                fi
              done
              [ $left = 1 ] || break
              sleep 0.02
            done
            """;

    /** The script of the watch. A killed server leaves a piece of shared memory, which the next server on its folder would remove. */
    private static final String WATCH = """
            trap '' HUP INT TERM
            read -r nothing
            """ + KILL + """
            memory=$(sed -n '7s/.* //p' "$1/postmaster.pid") && [ -n "$memory" ] && ipcrm -m "$memory"
            rm -rf "${1%/*}"
            """;

    private final Path home;
    private final Path folder;
    private final Path data;
    private final Path log;
    private final Process watch;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread reader;

    private volatile int port;

    @Nullable private Process server;

    private Cluster() throws IOException {
        home = Binaries.home();
        folder = Files.createTempDirectory("windrow-postgres-server-");
        data = Files.createDirectory(folder.resolve("data"));
        log = folder.resolve("server.log");
        watch = new ProcessBuilder("sh", "-c", WATCH, "watch", data.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Files.createFile(log);
        reader = new Thread(this::tellOfCrash, "log-of-" + folder.getFileName());
        reader.setDaemon(true);
    }

    /** Starts a new cluster and returns when it accepts connections. Settings are {@code name=value}. */
    static Cluster start(List<String> settings) throws IOException, InterruptedException {
        StringBuilder lines = new StringBuilder();
        SETTINGS.forEach(each -> lines.append(line(each)));
        settings.forEach(each -> lines.append(line(each)));
        Cluster cluster = new Cluster();
        return cluster.begin(cluster.home.resolve(Binaries.DATA), lines.toString());
    }

    /** Starts a cluster that replicates another one from a copy of its data. The other one is stopped for the copy and started again. */
    static Cluster standby(Cluster primary) throws IOException, InterruptedException {
        primary.stop();
        Cluster cluster = new Cluster();
        cluster.begin(
                primary.data,
                line("primary_conninfo=host=%s port=%d user=%s".formatted(HOST, primary.port, USER)),
                "standby.signal");
        try {
            primary.start();
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Starts the server on a copy of the data of a stopped cluster, with more lines of configuration and some empty files. */
    private Cluster begin(Path source, String lines, String... files) throws IOException, InterruptedException {
        try {
            copy(source);
            Files.writeString(data.resolve("postgresql.conf"), lines, StandardOpenOption.APPEND);
            for (String file : files) {
                Files.createFile(data.resolve(file));
            }
            startOnSomePort();
            reader.start();
            return this;
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Returns a line of the server's configuration. Of lines with the same name the last one counts. */
    private static String line(String setting) {
        int equals = setting.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException("a setting must be name=value: " + setting);
        }
        String value = setting.substring(equals + 1).replace("'", "''");
        return "%s = '%s'%n".formatted(setting.substring(0, equals), value);
    }

    private void copy(Path source) throws IOException, InterruptedException {
        Process copy = new ProcessBuilder("cp", "-a", source + "/.", data.toString())
                .directory(data.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        await(copy, "the copy of a cluster");
        if (copy.exitValue() != 0) {
            throw new IllegalStateException("the cluster " + source + " cannot be copied:\n" + logFrom(0));
        }
    }

    private void startOnSomePort() throws IOException, InterruptedException {
        for (int tried = 1; ; tried++) {
            port = freePort();
            try {
                start();
                return;
            } catch (IllegalStateException e) {
                if (tried == PORTS_TRIED || !String.valueOf(e.getMessage()).contains(PORT_TAKEN)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Returns a free port below the range that systems assign to clients. In that range a client could take the port while the server is down, or
     * even connect to itself.
     */
    private static int freePort() throws IOException {
        Random random = new Random();
        IOException last = new IOException("no port tried");
        for (int tried = 0; tried < PORTS_TRIED; tried++) {
            try (ServerSocket socket =
                    new ServerSocket(20_000 + random.nextInt(12_000), 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }

    /** Starts the server and returns when it accepts connections. */
    void start() throws IOException, InterruptedException {
        if (isRunning()) {
            throw new IllegalStateException("the server on port " + port + " is running");
        }
        long before = Files.size(log);
        Process started = program("postgres", "-D", data.toString(), "-p", Integer.toString(port));
        server = started;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!isReady(started)) {
            if (started.waitFor(5, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("the server has ended at its start:\n" + logFrom(before));
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("the server is not ready in time:\n" + logFrom(before));
            }
        }
    }

    boolean isRunning() {
        return server != null && server.isAlive();
    }

    /** True if the server is ready, by its file postmaster.pid, as {@code pg_ctl} reads it. Line 1 has its process, line 8 its state. */
    private boolean isReady(Process started) throws IOException {
        try {
            List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
            return lines.size() >= 8
                    && lines.get(0).strip().equals(Long.toString(started.pid()))
                    && Set.of("ready", "standby").contains(lines.get(7).strip());
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Starts a program with its output in the log. The started process becomes the program, even with a command before it. */
    private Process program(String name, String... arguments) throws IOException {
        Process process = Binaries.program(home, name, arguments)
                .directory(data.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        process.getOutputStream().close();
        return process;
    }

    private String logFrom(long position) throws IOException {
        byte[] all = Files.readAllBytes(log);
        return new String(all, (int) position, all.length - (int) position, StandardCharsets.UTF_8);
    }

    /** Ends the server and all processes that it has started at once; returns when they have ended. */
    void kill() throws IOException, InterruptedException {
        Process started = server;
        if (started != null) {
            started.destroyForcibly();
            shell(KILL, data.toString());
            await(started, "the server");
        }
    }

    /** Disconnects all clients and stops the server; returns when it has ended in good order. */
    void stop() throws IOException, InterruptedException {
        Process started = server;
        if (started != null && started.isAlive()) {
            shell("kill -INT \"$1\"", Long.toString(started.pid()));
            await(started, "the server");
        }
    }

    private static void shell(String script, String argument) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("sh", "-c", script, "sh", argument)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        await(shell, script);
    }

    private static void await(Process process, String what) throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(what + " does not end");
        }
    }

    /**
     * Returns the lines of its log around the first crash of one of its processes, after which it broke all connections and recovered. Returns none
     * without a crash. The end of a server by {@link #kill} is not a crash.
     */
    List<String> crash() throws IOException {
        List<String> lines = logFrom(0).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains(CRASHED)) {
                return lines.subList(Math.max(0, i - LINES_AROUND), Math.min(lines.size(), i + LINES_AROUND));
            }
        }
        return List.of();
    }

    /** Reports a crash at once. Tests whose connections broke do not know the reason. It is only in the log, which is deleted with the folder. */
    private void tellOfCrash() {
        try {
            long read = 0;
            boolean over = false;
            while (!over) {
                over = closing.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                if (Files.size(log) > read) {
                    read = Files.size(log);
                    if (!crash().isEmpty()) {
                        // The following lines show whether it has recovered.
                        over = over || closing.await(4 * LOOK_MILLIS, TimeUnit.MILLISECONDS);
                        System.getLogger(Cluster.class.getName())
                                .log(
                                        System.Logger.Level.ERROR,
                                        "The PostgreSQL server of the tests on port " + port + " has crashed:\n"
                                                + String.join("\n", crash()));
                        return;
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    int port() {
        return port;
    }

    String url() {
        return "jdbc:postgresql://%s:%d/postgres?user=%s".formatted(HOST, port, USER);
    }

    /** Returns the folder with all files of the cluster. */
    Path folder() {
        return folder;
    }

    /** Ends the server; returns when the server and the folder are deleted. */
    @Override
    public void close() {
        try {
            closing.countDown();
            reader.join();
            watch.getOutputStream().close();
            await(watch, "the watch of " + folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            // The watch continues by itself.
            Thread.currentThread().interrupt();
        }
    }
}
