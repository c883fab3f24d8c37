package dev.windrow.cli;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.engine.Windrow;
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

    abstract void end(Windrow windrow, JobRef<Json> job);

    @Override
    final void run() {
        long job = Values.id("ID", id);
        checkOptions();
        try (Windrow windrow = target().openExisting()) {
            end(windrow, JobRef.raw(job));
        }
        if (json()) {
            out().println(new Fields().id("id", job).put("state", end));
        } else {
            out().println("job %d is %s".formatted(job, end));
        }
    }
}
