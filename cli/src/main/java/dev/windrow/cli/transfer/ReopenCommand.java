package dev.windrow.cli.transfer;

import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.database.Target;
import dev.windrow.transfer.QueueCopy;
import dev.windrow.wire.JsonObject;
import picocli.CommandLine.Command;

/** {@code reopen}: opens the source of a copy that has closed it. */
@Command(
        name = "reopen",
        description = "Reopens a store that 'copy' has closed as its source.",
        footer = {
            "",
            "Changes in the copy stay in the copy. Use only one of the two stores.",
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
            out().println(new JsonObject().put("db", target().absolute()).put("reopened", reopened));
        } else {
            out().println(target().name() + (reopened ? " can be used again" : " was not closed"));
        }
    }
}
