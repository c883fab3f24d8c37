package dev.windrow.cli.step;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Parameters;

/** A command that ends one job from outside, in any state that is not final. */
abstract class EndCommand extends CliCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "Id of the job.")
    private String id = "";

    private final JobState end;

    EndCommand(Main main, JobState end) {
        super(main);
        this.end = end;
    }

    /** Checks the values of the command's own options, so that wrong ones are found before a store is opened. */
    abstract void checkOptions();

    /** Ends the job; returns further output. */
    abstract Said end(Windrow windrow, JobRef<Json> job);

    /**
     * The output of a command in addition to the job's state.
     *
     * @param fields further keys
     * @param text the end of the sentence; may be empty
     */
    record Said(UnaryOperator<Fields> fields, String text) {
        /** No further output. */
        static final Said NOTHING = new Said(UnaryOperator.identity(), "");
    }

    @Override
    public final void run() {
        long job = Values.id("ID", id);
        checkOptions();
        Said said;
        try (Windrow windrow = target().openExisting()) {
            said = end(windrow, JobRef.raw(job));
        }
        if (json()) {
            out().println(said.fields.apply(new Fields().id("id", job).put("state", end)));
        } else {
            out().println("job %d is %s%s".formatted(job, end, said.text));
        }
    }
}
