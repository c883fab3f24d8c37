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

/** Ends one job from outside, whatever it waits for and whoever runs it. */
abstract class EndCommand extends CliCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "The job.")
    private String id = "";

    private final JobState end;

    EndCommand(Main main, JobState end) {
        super(main);
        this.end = end;
    }

    /** Reads the values of the command's own options; wrong ones are found before anything is opened. */
    abstract void checkOptions();

    /** Ends it; answers what else there is to say of it. */
    abstract Said end(Windrow windrow, JobRef<Json> job);

    /**
     * What a command says beyond how the job has ended.
     *
     * @param fields further keys
     * @param text more of the sentence, or nothing
     */
    record Said(UnaryOperator<Fields> fields, String text) {
        /** Nothing. */
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
