package dev.windrow.cli.bench;

import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code bench} without its jar: an error that says how to run it, for any options. */
@Command(
        name = "bench",
        description = BenchProvider.DESCRIPTION,
        footer = {
            "",
            "This jar does not contain the measurements. In a checkout of the project,",
            "'./windrow bench' builds and runs them, and './windrow bench --help' shows the",
            "options.",
            "",
            "Examples:",
            "  windrow bench"
        })
final class AbsentBench extends CliCommand {
    private AbsentBench(Main main) {
        super(main);
    }

    static CommandLine commandLine(Main main) {
        return new CommandLine(new AbsentBench(main)).setUnmatchedArgumentsAllowed(true);
    }

    @Override
    public void run() {
        throw new FailedException(
                "'bench' is not part of this jar; in a checkout of the project, run: ./windrow bench");
    }
}
