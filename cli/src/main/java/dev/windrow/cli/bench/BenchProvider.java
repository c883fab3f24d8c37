package dev.windrow.cli.bench;

import dev.windrow.cli.Main;
import java.util.ServiceLoader;
import picocli.CommandLine;

/** The command {@code bench}, in a jar of its own: a service, so that this jar holds no measurement. */
public interface BenchProvider {
    /** The description in the list of commands, with the measurements and without. */
    String DESCRIPTION = "Measures the engine beside a bare loop that writes the same rows.";

    /** Returns the command that measures. */
    CommandLine commandLine(Main main);

    /** Returns the command of the jar on the class path; without that jar, the one that refuses. */
    static CommandLine find(Main main) {
        return ServiceLoader.load(BenchProvider.class, Main.class.getClassLoader())
                .findFirst()
                .map(provider -> provider.commandLine(main))
                .orElseGet(() -> AbsentBench.commandLine(main));
    }
}
