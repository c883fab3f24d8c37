package dev.windrow.cli.step;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fail}: the work of a job will not be done. */
@Command(
        name = "fail",
        description = "Fail a job that has not ended, without another attempt. A running handler is interrupted.",
        footer = {"", "Examples:", "  windrow fail 17 --error-code APPROVAL:REFUSED --detail 'too dear'"})
public final class FailCommand extends EndCommand {
    @Option(
            names = "--error-code",
            required = true,
            paramLabel = "CODE",
            description = "Why: CATEGORY:SUBCATEGORY, of capital letters, digits and underscores.")
    private String errorCode = "";

    @Option(names = "--detail", paramLabel = "TEXT", description = "More of it for people; cut to 500 characters.")
    private @Nullable String detail;

    public FailCommand(Main main) {
        super(main, JobState.FAILED);
    }

    @Override
    void checkOptions() {
        errorCode = Values.errorCode("--error-code", errorCode);
        if (detail != null) {
            detail = Values.whole("--detail", detail);
        }
    }

    @Override
    Said end(Windrow windrow, JobRef<Json> job) {
        if (detail == null) {
            windrow.job(job).fail(errorCode);
        } else {
            windrow.job(job).fail(errorCode, detail);
        }
        return Said.NOTHING;
    }
}
