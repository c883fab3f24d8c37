package dev.windrow.cli.worker;

import dev.windrow.ErrorCodes;
import dev.windrow.Handler;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobType;
import dev.windrow.cli.terminal.Console;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the command of an {@code exec} job as a process.
 *
 * <p>The process gets a minimal environment, no stdin, the worker's working directory, and a session of its own, by
 * the program {@code setsid} if it exists. A Ctrl-C at the worker's terminal goes to the terminal's whole process
 * group. It must reach the worker alone, which lets running jobs end. Without {@code setsid} (macOS) the process gets
 * the Ctrl-C as well.
 *
 * <p>The end of the attempt, for any reason, ends the process and all processes that it started. The end of the
 * process ends the processes that it left in the background. With {@code setsid}, the end of the worker's process ends
 * them too.
 */
final class ExecHandler implements Handler<ExecRequest, ExecResult>, AutoCloseable {
    static final JobType<ExecRequest, ExecResult> TYPE =
            JobType.of(ExecRequest.TYPE, ExecRequest.class, ExecResult.class);

    private static final Logger log = LoggerFactory.getLogger(ExecHandler.class);
    private static final List<String> PASSED_ON = List.of("PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "USER", "TZ");
    private static final @Nullable Path SETSID = find(Path.of(""), "setsid", "/usr/bin:/bin");
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    /** The name of the shell that becomes the program, in its messages. */
    private static final String GATE = "windrow-exec";
    /**
     * The shell's script. It waits for a line on stdin, so that the program starts only when the death watch knows
     * it. A closed stdin means that the worker is dead. It unsets the variables that the shell has added. Some shells
     * set SHLVL and _ again for the program.
     */
    private static final String GATE_SCRIPT = "read -r go && unset PWD OLDPWD SHLVL && exec \"$@\" </dev/null";

    private final @Nullable DeathWatch watch = SETSID == null ? null : new DeathWatch(SETSID);
    private final Console console;

    ExecHandler(Console console) {
        this.console = console;
    }

    @Override
    public ExecResult handle(ExecRequest request, JobContext job) throws InterruptedException {
        String problem = request == null ? "the payload is missing" : ExecRequest.problem(request.command());
        if (problem != null) {
            throw JobFailure.permanent(ErrorCodes.INVALID_PAYLOAD, problem);
        }
        Process process = start(request.command(), job);
        if (watch == null) {
            return run(process, job);
        }
        watch.begin(process.pid());
        try {
            open(process);
            return run(process, job);
        } finally {
            watch.end(process.pid());
        }
    }

    private static void open(Process process) {
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write('\n');
        } catch (IOException e) {
            log.debug("Process {} ended before its program started", process.pid(), e);
        }
    }

    private static ExecResult run(Process process, JobContext job) throws InterruptedException {
        boolean leadsSession = SETSID != null;
        String thread = "exec-" + job.id();
        Capture out = Capture.start(process.getInputStream(), thread + "-stdout");
        Capture err = Capture.start(process.getErrorStream(), thread + "-stderr");
        int exit;
        try {
            exit = process.waitFor();
        } catch (InterruptedException e) {
            // The deadline passed, or the worker hands its jobs back.
            ProcessTree.kill(process, leadsSession);
            process.waitFor(5, TimeUnit.SECONDS);
            keep(out, err, job);
            throw e;
        }
        if (leadsSession) {
            ProcessTree.killSession(process.pid());
        }
        keep(out, err, job);
        if (exit != 0) {
            throw failure(exit, err.end(ErrorCodes.MAX_DETAIL));
        }
        return new ExecResult(exit, out.text(), err.text(), out.dropped(), err.dropped());
    }

    private static JobFailure failure(int exit, String detail) {
        String storable = storable(detail);
        // A program that is a shell may exit with 126 and 127 too. Our shell's message begins with its name.
        boolean notStarted = (exit == 126 || exit == 127) && SETSID != null && detail.startsWith(GATE + ": ");
        return notStarted
                ? JobFailure.permanent("PROCESS:START", storable)
                : JobFailure.retryable("PROCESS:EXIT_" + exit, storable);
    }

    private static void keep(Capture out, Capture err, JobContext job) throws InterruptedException {
        out.finish(PATIENCE);
        err.finish(PATIENCE);
        String text = section("stdout", out) + section("stderr", err);
        if (!text.isEmpty()) {
            job.output(storable(text));
        }
    }

    private static String section(String name, Capture capture) {
        String text = capture.text();
        if (text.isEmpty()) {
            return "";
        }
        String more = capture.dropped() == 0 ? "" : "[%d more bytes were not kept]\n".formatted(capture.dropped());
        return "--- " + name + "\n" + text + (text.endsWith("\n") ? "" : "\n") + more;
    }

    /** Replaces NUL by its picture, because text columns cannot store it. */
    private static String storable(String text) {
        return text.replace('\0', '\u2400');
    }

    private Process start(List<String> command, JobContext job) {
        Map<String, String> own = console.environment();
        Path folder = console.folder();
        if (find(folder, command.get(0), own.getOrDefault("PATH", "/usr/bin:/bin")) == null) {
            throw JobFailure.permanent(
                    "PROCESS:START",
                    "'%s' does not exist for this worker or is not executable".formatted(storable(command.get(0))));
        }
        List<String> words = new ArrayList<>();
        if (SETSID != null) {
            words.addAll(List.of(SETSID.toString(), "/bin/sh", "-c", GATE_SCRIPT, GATE));
        }
        words.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(words);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> !isPassedOn(name) || !own.containsKey(name));
        own.forEach((name, value) -> {
            // A variable of the process itself keeps its bytes, which may not be text.
            if (isPassedOn(name) && !value.equals(environment.get(name))) {
                environment.put(name, value);
            }
        });
        environment.put("WINDROW_JOB_ID", Long.toString(job.id()));
        environment.put("WINDROW_ATTEMPT", Integer.toString(job.attempt()));
        ProcessBuilder.Redirect input = SETSID != null
                ? ProcessBuilder.Redirect.PIPE
                : ProcessBuilder.Redirect.from(new File(File.separatorChar == '/' ? "/dev/null" : "NUL"));
        try {
            return builder.directory(folder.toString().isEmpty() ? null : folder.toFile())
                    .redirectInput(input)
                    .start();
        } catch (IOException e) {
            throw JobFailure.permanent("PROCESS:START", e.getMessage());
        }
    }

    /** Ends the watch; only when no program runs any more. */
    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
    }

    private static boolean isPassedOn(String name) {
        return PASSED_ON.contains(name) || name.startsWith("LC_") || name.equals("SystemRoot");
    }

    /** Returns the path of a program by the rules of execvp in this folder; null if it does not exist. */
    private static @Nullable Path find(Path here, String program, String path) {
        if (File.separatorChar != '/') {
            return program.equals("setsid") ? null : Path.of(program); // Windows has its own rules
        }
        if (program.indexOf('/') >= 0) {
            Path named = here.resolve(program);
            return runnable(named) ? named : null;
        }
        for (String folder : path.split(":", -1)) {
            Path candidate = here.resolve(folder.isEmpty() ? "." : folder).resolve(program);
            if (runnable(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    private static boolean runnable(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }
}
