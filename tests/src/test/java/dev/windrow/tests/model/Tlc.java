package dev.windrow.tests.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.crash.Soak;
import dev.windrow.tests.docs.Docs;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tlc2.TLC;

/** Runs the model checker on the module of this repository, in its own process, which writes below one folder only. */
final class Tlc {
    private static final int DEADLINE_MINUTES = 5;
    private static final String MODULE = "Windrow.tla";
    private static final Pattern STATES =
            Pattern.compile("(?m)^\\d+ states generated, (\\d+) distinct states found, (\\d+) states left on queue\\.");
    private static final Pattern VIOLATED =
            Pattern.compile("(?m)^Error: (?:Invariant|Action property) (.+) is violated");
    private static final Pattern ACTION = Pattern.compile("(?m)^<(\\w+) line .* of module Windrow>: (\\d+):(\\d+)");

    private final Path folder;

    Tlc(Path folder) {
        this.folder = folder;
    }

    /** The number of states that the checker reads. */
    enum Size {
        /** Some ten thousands. The checker counts the actions that were taken. */
        FEW_STATES,
        /** More than a hundred thousand. Outside of the long form of the tests, only a third of them: those with at most one crash or pause. */
        MANY_STATES
    }

    /** The output of the checker. */
    record Answer(String config, String output) {
        boolean foundNoError() {
            return output.contains("Model checking completed. No error has been found.");
        }

        /** Returns the name of the first violated rule, or an empty text. */
        String violated() {
            Matcher violated = VIOLATED.matcher(output);
            return violated.find() ? violated.group(1) : "";
        }

        /** Returns the number of states. The checker has read all of them. */
        long states() {
            Matcher states = STATES.matcher(output);
            assertThat(states.find()).as(output).isTrue();
            assertThat(states.group(2)).as("states left").isEqualTo("0");
            return Long.parseLong(states.group(1));
        }

        /** Returns the actions that were taken at least once. */
        List<String> actions() {
            return ACTION.matcher(output)
                    .results()
                    .filter(action -> !action.group(3).equals("0"))
                    .map(action -> action.group(1))
                    .distinct()
                    .toList();
        }
    }

    /** Checks the module under a configuration of this repository, with the rule that {@code mutant} names broken. */
    Answer check(String config, String mutant, Size size) throws IOException, InterruptedException {
        Path model = Docs.root().resolve("model");
        Files.copy(model.resolve(MODULE), folder.resolve(MODULE));
        String unbroken = "MUTANT = \"none\"";
        String settings = Files.readString(model.resolve(config));
        assertThat(settings).contains(unbroken);
        settings = settings.replace(unbroken, "MUTANT = \"" + mutant + "\"");
        if (size == Size.MANY_STATES && !Soak.isOn()) {
            String unbounded = "MaxTroubles <- Unbounded";
            assertThat(settings).contains(unbounded);
            settings = settings.replace(unbounded, "MaxTroubles = 1");
        }
        Files.writeString(folder.resolve(config), settings);
        Path output = folder.resolve("output.txt");
        boolean few = size == Size.FEW_STATES || !Soak.isOn();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=" + (few ? 1 : 4),
                "-XX:-UsePerfData",
                "-Xmx1g",
                // The checker unpacks its standard modules there.
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                jar().toString(),
                TLC.class.getName(),
                "-workers",
                few ? "1" : "auto",
                "-metadir",
                folder.resolve("states").toString(),
                // Checks of liveness and checkpoints during the run suspend the workers of the checker, and can lose
                // the
                // notification for which it then waits. The properties are checked at the end in any case.
                "-lncheck",
                "final",
                "-checkpoint",
                "0",
                "-config",
                config));
        if (size == Size.FEW_STATES || Soak.isOn()) {
            command.addAll(List.of("-coverage", "60"));
        }
        command.add(MODULE);
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES))
                    .as("ended in time: " + Files.readString(output))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Answer(config, Files.readString(output));
    }

    private static Path jar() {
        try {
            return Path.of(TLC.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
