package dev.windrow.sqlite.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;

/** Another process with the store open, inside a transaction until the test releases it. It is killed when it is closed. */
public final class Holder implements AutoCloseable {
    private final Process process;
    private final BufferedReader lines;

    private Holder(Process process) {
        this.process = process;
        this.lines = process.inputReader();
    }

    /** Starts a process and waits until it is inside its transaction. */
    public static Holder inside(Path file) throws IOException {
        return inside(ChildProcess.start(HoldingProbe.class, file));
    }

    /** Starts another program, which does not use the fair file lock. */
    static Holder foreign(Path file) throws IOException {
        return inside(ChildProcess.start(LockingProbe.class, file));
    }

    /** Starts a process whose files are made without the permissions in this octal number. */
    public static Holder insideWithUmask(String umask, Path file) throws IOException {
        return inside(ChildProcess.startWithUmask(umask, HoldingProbe.class, file));
    }

    private static Holder inside(Process process) throws IOException {
        Holder holder = new Holder(process);
        boolean inside = false;
        try {
            assertThat(holder.lines.readLine()).isEqualTo("inside");
            inside = true;
            return holder;
        } finally {
            if (!inside) {
                process.destroyForcibly();
            }
        }
    }

    long pid() {
        return process.pid();
    }

    void signal(String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Lets the process commit, and waits until it has. */
    public void goOn() throws IOException {
        process.outputWriter().append("go on\n").flush();
        assertThat(lines.readLine()).isEqualTo("enqueued");
    }

    /** Lets the process close the store and end. It must have committed. */
    public void end() throws Exception {
        process.outputWriter().close();
        assertThat(process.waitFor()).isZero();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        kill();
        lines.close();
    }
}
