package dev.windrow.cli.step;

import dev.windrow.JobHandle;
import dev.windrow.JobState;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fail}: fails a job from outside. */
@Command(
        name = "fail",
        description = "Fails a job from outside, without another attempt.",
        footer = {
            "",
            "The job must not have ended. A running handler is interrupted.",
            "",
            "Examples:",
            "  windrow fail 17 --error-code APPROVAL:REFUSED --detail 'too expensive'"
        })
public final class FailCommand extends EndCommand {
    @Option(
            names = "--error-code",
            required = true,
            paramLabel = "CODE",
            description = "The cause: CATEGORY:SUBCATEGORY, of capital letters, digits and underscores.")
    private String errorCode = "";

    @Option(names = "--detail", paramLabel = "TEXT", description = "Details, cut to 500 characters, default none.")
    private @Nullable String detail;

    public FailCommand(Main main) {
        super(main, JobState.FAILED);
    }

    @Override
    void checkOptions(List<@Nullable String> words) {
        errorCode = Values.errorCode("--error-code", errorCode);
        if (detail != null) {
            detail = Values.whole("--detail", detail);
        }
    }

    @Override
    Said end(JobHandle<Json> job) {
        if (detail == null) {
            job.fail(errorCode);
        } else {
            job.fail(errorCode, detail);
        }
        return Said.NOTHING;
    }
}
