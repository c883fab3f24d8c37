package dev.windrow.cli.step;

import dev.windrow.JobHandle;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.IfVersionOption;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.job.JobArguments;
import dev.windrow.payload.Json;
import dev.windrow.wire.JobJson;
import dev.windrow.wire.JsonObject;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** A command that ends one job from outside, in any state that is not final. */
abstract class EndCommand extends CliCommand {
    @Mixin
    private JobArguments named = new JobArguments();

    @Mixin
    private ReasonOption reason = new ReasonOption();

    @Mixin
    private IfVersionOption version = new IfVersionOption();

    private final JobState end;

    EndCommand(Main main, JobState end) {
        super(main);
        this.end = end;
    }

    /** Returns the words after the id, null for one that was not given. */
    @Nullable String[] words() {
        return new @Nullable String[0];
    }

    /**
     * Checks the values of the command's own options, so that wrong ones are found before a store is opened.
     *
     * @param words the {@link #words()}; with a key in place of the id they begin one place earlier
     */
    abstract void checkOptions(List<@Nullable String> words);

    /** Ends the job; returns further output. */
    abstract Said end(JobHandle<Json> job);

    /**
     * The output of a command in addition to the job's state.
     *
     * @param fields further keys
     * @param text the end of the sentence; may be empty
     */
    record Said(UnaryOperator<JsonObject> fields, String text) {
        /** No further output. */
        static final Said NOTHING = new Said(UnaryOperator.identity(), "");
    }

    @Override
    public final void run() {
        JobArguments.Checked checked = named.check(words());
        checkOptions(checked.words());
        reason.check();
        version.check();
        JobRef<Json> job;
        Said said;
        try (Windrow windrow = target().openExisting()) {
            job = checked.job().apply(windrow);
            said = end(version.of(reason.of(windrow).job(job)));
        }
        if (json()) {
            out().println(said.fields.apply(JobJson.ended(job, end)));
        } else {
            out().println("job %s is %s%s".formatted(job, end, said.text));
        }
    }
}
