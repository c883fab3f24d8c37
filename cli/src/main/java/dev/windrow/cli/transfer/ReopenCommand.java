package dev.windrow.cli.transfer;

import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.transfer.QueueCopy;
import picocli.CommandLine.Command;

/** {@code reopen}: takes back that a copy has closed its source. */
@Command(
        name = "reopen",
        description = "Use a queue again that a copy has closed at its end.",
        footer = {
            "",
            "What was done at the new place since stays there: only one of the two may be",
            "used.",
            "",
            "Examples:",
            "  windrow reopen --db jobs.db"
        })
public final class ReopenCommand extends CliCommand {
    public ReopenCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        Target.refuse(target().missing());
        boolean reopened = QueueCopy.reopen(target().store());
        if (json()) {
            out().println(new Fields().put("db", target().absolute()).put("reopened", reopened));
        } else {
            out().println(target().name() + (reopened ? " can be used again" : " was not closed"));
        }
    }
}
