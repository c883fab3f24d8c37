package dev.windrow.cli.job;

import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The arguments that name one job: its id, or its dedupe key and its type. */
public final class JobArguments extends KeyOption {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "ID",
            description = "Id of the job. Instead of an id, give --key and --type.")
    private @Nullable String id;

    @Option(names = "--type", paramLabel = "TYPE", description = "With --key: the type of the job.")
    private @Nullable String type;

    /**
     * The checked arguments.
     *
     * @param job the search for the job
     * @param words the other words of the command, null for one that was not given
     */
    public record Checked(Function<Windrow, JobRef<Json>> job, List<@Nullable String> words) {}

    /** Checks the arguments. With {@code --key} the command has no id, and the words after it begin one place earlier. */
    public Checked check(@Nullable String... after) {
        List<@Nullable String> words = new ArrayList<>(Arrays.asList(after));
        if (isGiven()) {
            words.add(0, id);
            if (words.remove(words.size() - 1) != null) {
                throw new UsageException(NOT_BOTH);
            }
            return new Checked(search(type), words);
        }
        if (type != null) {
            throw new UsageException("--type needs --key: an id needs no type");
        }
        if (id == null) {
            throw new UsageException("the job is missing: give its ID, or --key and --type");
        }
        JobRef<Json> ref = JobRef.raw(Values.id("ID", id));
        return new Checked(windrow -> ref, words);
    }
}
