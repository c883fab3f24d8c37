package dev.windrow.cli.job;

import dev.windrow.JobHandle;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.IfVersionOption;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.wire.JobJson;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code metadata}: prints the metadata of a job, or changes them. */
@Command(
        name = "metadata",
        description = "Prints the metadata of a job, or changes them.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "JSON is a merge patch: its values replace values, a null removes a name.",
            "",
            "Examples:",
            "  windrow metadata 17",
            "  windrow metadata 17 '{\"carrier\":\"DHL\",\"delayed\":null}'"
        })
public final class MetadataCommand extends CliCommand {
    @Mixin
    private JobArguments named = new JobArguments();

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "JSON",
            description = "The changes, a JSON object; without it nothing is changed.")
    private @Nullable String changes;

    @Mixin
    private ReasonOption reason = new ReasonOption();

    @Mixin
    private IfVersionOption version = new IfVersionOption();

    public MetadataCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        JobArguments.Checked checked = named.check(changes);
        String text = checked.words().get(0);
        Metadata patch = text == null ? null : Values.named("JSON", () -> Metadata.parse(text));
        if (patch == null && (reason.isGiven() || version.isGiven())) {
            throw new UsageException("%s is for a change: give the JSON of the change"
                    .formatted(reason.isGiven() ? "--reason" : "--if-version"));
        }
        reason.check();
        version.check();
        JobRef<Json> job;
        Metadata metadata;
        try (Windrow windrow = patch == null ? target().openToRead() : target().openExisting()) {
            job = checked.job().apply(windrow);
            JobHandle<Json> handle = version.of(reason.of(windrow).job(job));
            if (patch != null) {
                Values.named("JSON", () -> {
                    handle.mergeMetadata(patch);
                    return patch;
                });
            }
            metadata = handle.info().metadata();
        }
        if (json()) {
            out().println(JobJson.metadata(job, metadata));
        } else {
            out().println(TerminalText.lines(metadata.json()));
        }
    }
}
