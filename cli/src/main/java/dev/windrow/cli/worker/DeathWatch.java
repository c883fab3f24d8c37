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
 * Ends the programs of exec jobs when this process dies and cannot do so itself, as after {@code kill -9}. Without it
 * a program would continue beside the next attempt of its job, in another worker.
 *
 * <p>A shell in a session of its own reads from a pipe that this process holds. The pipe carries the numbers of the
 * sessions that begin and end. The kernel closes the pipe when this process ends in any way. Then the shell kills the
 * remaining processes of these sessions and their descendants. It starts with the first program. Safe for use by many
 * threads.
 *
 * <p>The kernel's parent-death signal ({@code setpriv --pdeathsig}) does not serve here. It comes when the thread
 * ends that started the program. It reaches one process and not its descendants. A program that changes its user
 * loses it.
 */
final class DeathWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DeathWatch.class);

    /**
     * The shell's program. It uses built-in commands only, so that it starts no process. The fourth field after the
     * name of a process is its session, and the second one its parent. The name may contain any character, a line end
     * too. A process that is about to begin its session is known by its number. The search is repeated, because a
     * process may start another one during it. The shell ignores signals to stop, because the worker still needs it
     * while it drains.
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
     * Creates a watch over no session.
     *
     * @param setsid the program that begins a session
     */
    DeathWatch(Path setsid) {
        this.setsid = setsid;
    }

    /** Adds a session, by the number of the process that leads it: all of it is to end with this process. */
    void begin(long session) {
        lock.lock();
        try {
            live.add(session);
            tell("+ " + session + "\n");
        } finally {
            lock.unlock();
        }
    }

    /** Removes a session, which has no process any more. */
    void end(long session) {
        lock.lock();
        try {
            live.remove(session);
            tell("- " + session + "\n");
        } finally {
            lock.unlock();
        }
    }

    /** Ends the remaining processes of all sessions, and the shell. */
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
            log.debug("The shell that kills exec programs if this worker dies had already ended", e);
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
            log.debug("The shell that kills exec programs if this worker dies does not read", e);
            shell = null;
        }
        if (!live.isEmpty()) {
            if (told != null) {
                log.warn("The shell that kills exec programs if this worker dies has ended; starting another one");
            }
            start();
        }
    }

    /** Starts a shell that knows all sessions. Without a shell the programs run without a watch. */
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
                    "Cannot start the shell that kills exec programs if this worker dies ({}): after kill -9 they continue",
                    e.getMessage());
        }
    }
}
