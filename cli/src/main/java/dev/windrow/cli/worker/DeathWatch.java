package dev.windrow.cli.worker;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the programs of exec jobs when this process dies and cannot do so itself, as after {@code kill -9}. Without it a program would go on
 * beside the next attempt of its job, in another worker.
 *
 * <p>A shell in a session of its own reads from a pipe that this process holds: the numbers of the sessions that begin and end. The kernel closes the
 * pipe when this process ends, however that happens. Then the shell kills what is left in these sessions, and the descendants of that. It is started with
 * the first program. Safe for use by many threads.
 *
 * <p>Not used: the kernel's parent-death signal ({@code setpriv --pdeathsig}), which comes when the thread ends that started the program, reaches one process
 * instead of its descendants, and is lost in a program that changes its user.
 */
final class DeathWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DeathWatch.class);

    /**
     * Reads with the shell's own words alone, so that it starts no process. A process is a member of a session by the fourth field behind its name, which may
     * hold anything, a line end too, and a child by the second one. One that is about to begin its session is known by its number. Repeated, because a process
     * may start another one while the list is read. Signals to stop are for the worker, which still needs this shell while it drains.
     */
    private static final String SCRIPT = """
            trap '' HUP INT TERM
            live=' '
            while read -r sign session; do
              case $sign in
                +) live="$live$session " ;;
                -) live="${live%%" $session "*} ${live#*" $session "}" ;;
              esac
            done
            for round in 1 2 3; do
              doomed=' ' others=''
              for stat in /proc/[0-9]*/stat; do
                line=''
                while read -r part; do line="$line$part "; done <"$stat" || continue
                pid=${line%% *}
                set -- ${line##*) }
                case $1$live in
                  Z*) ;;
                  *" $4 "* | *" $pid "*) doomed="$doomed$pid " ;;
                  *) others="$others$pid:$2 " ;;
                esac
              done
              more=yes
              while [ $more ]; do
                more='' rest=''
                for each in $others; do
                  case $doomed in
                    *" ${each#*:} "*) doomed="$doomed${each%:*} " more=yes ;;
                    *) rest="$rest$each " ;;
                  esac
                done
                others=$rest
              done
              [ "$doomed" = ' ' ] && exit
              kill -KILL $doomed
            done
            """;

    private final Path setsid;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private final Set<Long> live = new HashSet<>();
    // Guarded by lock.
    private @Nullable Writer shell;

    /**
     * Watches nothing yet.
     *
     * @param setsid the program that begins a session
     */
    DeathWatch(Path setsid) {
        this.setsid = setsid;
    }

    /** The process of this number leads a session, all of which is to end with this process. */
    void begin(long session) {
        lock.lock();
        try {
            live.add(session);
            tell("+ " + session + "\n");
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is left in this session. */
    void end(long session) {
        lock.lock();
        try {
            live.remove(session);
            tell("- " + session + "\n");
        } finally {
            lock.unlock();
        }
    }

    /** Ends what is left in the sessions that have begun, and the shell. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (shell != null) {
                shell.close();
            }
            shell = null;
            live.clear();
        } catch (IOException e) {
            log.debug("The shell that ends programs with this worker was gone already", e);
        } finally {
            lock.unlock();
        }
    }

    private void tell(String line) {
        Writer told = shell;
        try {
            if (told != null) {
                told.write(line);
                told.flush();
                return;
            }
        } catch (IOException e) {
            log.debug("The shell that ends programs with this worker does not read", e);
            shell = null;
        }
        if (!live.isEmpty()) {
            if (told != null) {
                log.warn("The shell that ends programs with this worker is gone; another one is started");
            }
            start();
        }
    }

    /** Starts a shell that knows all sessions. What cannot be watched runs all the same. */
    private void start() {
        ProcessBuilder builder = new ProcessBuilder(setsid.toString(), "/bin/sh", "-c", SCRIPT, "windrow-death-watch")
                .directory(new File("/"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        StringBuilder lines = new StringBuilder();
        live.forEach(session -> lines.append("+ ").append(session).append('\n'));
        try {
            OutputStream pipe = builder.start().getOutputStream();
            Writer started = new OutputStreamWriter(pipe, StandardCharsets.US_ASCII);
            started.write(lines.toString());
            started.flush();
            shell = started;
        } catch (IOException e) {
            log.warn(
                    "Programs go on if this worker is killed: the shell that would end them cannot be started ({})",
                    e.getMessage());
        }
    }
}
