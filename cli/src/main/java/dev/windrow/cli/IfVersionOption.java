package dev.windrow.cli;

import dev.windrow.JobHandle;
import dev.windrow.cli.terminal.Values;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --if-version}: a change of one job only if the job is at the version that the user has seen. */
public final class IfVersionOption {
    @Option(
            names = "--if-version",
            paramLabel = "N",
            description = "Change the one job only if this is its version, as 'show' prints it.")
    private @Nullable String version;

    public boolean isGiven() {
        return version != null;
    }

    /** Checks the number, so that a wrong one is found before a store is opened. */
    public void check() {
        if (version != null) {
            long unused = Values.version("--if-version", version);
        }
    }

    /** Returns the handle with the version, if one was given. */
    public <O extends @Nullable Object> JobHandle<O> of(JobHandle<O> job) {
        return version == null ? job : job.ifVersion(Values.version("--if-version", version));
    }
}
