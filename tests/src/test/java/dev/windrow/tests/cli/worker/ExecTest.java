package dev.windrow.tests.cli.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.tests.cli.Cli;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Jobs that run a process, from outside. */
class ExecTest {
    private static final List<String> ONCE = List.of("--max-attempts", "1");

    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    private String enqueue(List<String> options, String... command) {
        List<String> words = new ArrayList<>(List.of("enqueue", "exec", "--json"));
        words.addAll(options);
        words.add("--");
        words.addAll(List.of(command));
        return cli.json(words.toArray(String[]::new)).get("id").asString();
    }

    private String script(String script) {
        return enqueue(ONCE, "sh", "-c", script);
    }

    private JsonNode show(String id) {
        return cli.json("show", id, "--json");
    }

    private void work() {
        cli.json("work", "--until-idle", "--allow-exec", "--json");
    }

    @Test
    void aProgramAndItsProcessesEndWhenTheirWorkerIsKilled() {
        // Longer than the deadline: they do not end by themselves before it.
        script(
                "setsid sleep 600 & echo $! > apart; (sleep 600 & echo $! > below; wait) & n=$(printf 'a\\nb'); cp /bin/sleep \"$n\";"
                        + " \"./$n\" 600 & echo $! > odd; echo $$ > leader; wait");
        Cli.Running worker = cli.start("work", "--allow-exec");
        List<Long> processes = Stream.of("leader", "apart", "below", "odd")
                .map(file -> Long.parseLong(Cli.contentOf(folder.resolve(file))))
                .toList();
        // A stop of all processes of a service reaches the watch too, which is still needed.
        ProcessHandle watch = worker.process()
                .descendants()
                .filter(process -> process.info().commandLine().orElse("").contains("windrow-death-watch"))
                .findFirst()
                .orElseThrow();
        watch.destroy();
        // As kill -9.
        worker.process().destroyForcibly();
        worker.end();
        processes.forEach(Cli::assertEnds);
    }

    @Test
    void aWorkerThatHasEndedLeavesNoProcessBehind() {
        List<ProcessHandle> before = ProcessHandle.current().children().toList();
        script("true");
        work();
        await().atMost(Cli.DEADLINE)
                .until(() -> ProcessHandle.current().children().toList(), now -> before.containsAll(now));
    }

    @Test
    void aCommandHasAMinimalEnvironmentAndNoStdin() {
        String environment = enqueue(ONCE, "env");
        String stdin = script("echo stdin:; cat");
        cli.with("SECRET", "x").with("LC_TIME", "C").with("TZ", "UTC");
        work();
        String out = show(environment).at("/result/stdout").asString();
        assertThat(out).contains("WINDROW_JOB_ID=" + environment, "WINDROW_ATTEMPT=1", "PATH=", "TZ=UTC", "LC_TIME=C");
        assertThat(show(stdin).at("/result/stdout").asString()).isEqualTo("stdin:\n");
        TreeSet<String> names = new TreeSet<>();
        out.lines().filter(line -> line.contains("=")).forEach(line -> names.add(line.substring(0, line.indexOf('='))));
        names.removeIf(name -> name.startsWith("LC_"));
        assertThat(names)
                .isSubsetOf(
                        "PATH",
                        "HOME",
                        "LANG",
                        "LANGUAGE",
                        "TMPDIR",
                        "USER",
                        "TZ",
                        "WINDROW_JOB_ID",
                        "WINDROW_ATTEMPT",
                        "_",
                        "SHLVL"); // some shells set these two for each program that they become
    }

    @Test
    void aCommandCannotReachATerminalThroughTheWorkersLog() {
        script("printf 'a\\033[2Jb\\007' >&2; exit 3");
        Cli.Result work = cli.process("work", "--until-idle", "--allow-exec");
        assertThat(work.status()).isZero();
        assertThat(work.err()).contains("PROCESS:EXIT_3", "a␛[2Jb␇").doesNotContain("\u001b", "\u0007");
    }

    @Test
    void theErrorCodeNamesHowACommandEnded() {
        String exit = script("echo to stderr >&2; exit 42");
        String killed = script("kill -9 $$");
        String nowhere = enqueue(ONCE, "no-such-program-at-all");
        String noFile = enqueue(ONCE, "/no/such/file");
        String noProgram = enqueue(ONCE, folder.toString());
        String shell127 = script("no-such-program-at-all");
        String chatty = script("i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1");
        work();
        assertThat(show(exit).get("errorCode").asString()).isEqualTo("PROCESS:EXIT_42");
        assertThat(show(exit).get("errorDetail").asString()).isEqualTo("to stderr");
        assertThat(show(exit).get("result").isNull()).isTrue();
        assertThat(show(killed).get("errorCode").asString()).isEqualTo("PROCESS:EXIT_137");
        for (String id : List.of(nowhere, noFile, noProgram)) {
            assertThat(show(id).get("errorCode").asString()).isEqualTo("PROCESS:START");
        }
        assertThat(show(shell127).get("errorCode").asString()).isEqualTo("PROCESS:EXIT_127");
        String detail = show(chatty).get("errorDetail").asString();
        assertThat(detail).hasSizeBetween(490, 500).endsWith("line 1999");
    }

    @Test
    void aCommandThatCannotStartIsNotRetriedAndAFailingOneIs() {
        String nowhere = enqueue(List.of("--max-attempts", "2"), "no-such-program-at-all");
        String failing = enqueue(List.of("--max-attempts", "2"), "false");
        work();
        assertThat(show(nowhere).get("attempts")).hasSize(1);
        assertThat(show(failing).get("attempts")).hasSize(2);
    }

    @Test
    void theWholeProcessTreeEndsAtTheTimeout() {
        // A child, an orphan (its parent has ended, so it is nobody's descendant), and the shell itself.
        String id = enqueue(
                List.of("--timeout", "1s"),
                "sh",
                "-c",
                "echo $$ > main; sleep 300 & echo $! > child; (sleep 300 & echo $! > orphan); echo said; wait");
        work();
        JsonNode history = show(id);
        assertThat(history.get("errorCode").asString()).isEqualTo("TIMEOUT:EXECUTION");
        assertThat(history.get("errorDetail").asString()).isEqualTo("ran longer than 1s");
        assertThat(history.at("/attempts/0/outcome").asString()).isEqualTo("TIMEOUT");
        assertThat(history.at("/attempts/0/output").asString()).contains("said");
        for (String name : List.of("main", "child", "orphan")) {
            Cli.assertEnds(Long.parseLong(Cli.contentOf(folder.resolve(name))));
        }
    }

    @Test
    void backgroundProcessesOfACommandNeitherDelayNorOutliveIt() {
        String id = script("sleep 300 & echo $! > child; echo done");
        work();
        assertThat(show(id).at("/result/stdout").asString()).isEqualTo("done\n");
        Cli.assertEnds(Long.parseLong(Cli.contentOf(folder.resolve("child"))));
    }
}
