package dev.windrow.cli.step;

import dev.windrow.JobHandle;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.job.JobDraft;
import dev.windrow.payload.Json;
import dev.windrow.wire.JsonScan;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code complete}: completes a job from outside. */
@Command(
        name = "complete",
        description = "Completes a job from outside, without a worker.",
        footer = {
            "",
            "The job must not have ended. A running handler is interrupted.",
            "",
            "Examples:",
            "  windrow complete 17",
            "  windrow complete 17 '{\"approvedBy\":\"ada\"}'",
            "  windrow complete --type order.approve --key order-5 '{\"approvedBy\":\"ada\"}'",
            "  windrow complete 17 --continue-with ship --continue-payload '{\"order\":5}'"
        })
public final class CompleteCommand extends EndCommand {
    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "JSON",
            description = "The result, one argument of JSON, default none.")
    private @Nullable String result;

    @Option(
            names = "--continue-with",
            paramLabel = "TYPE",
            description = "Continue its chain with a job of this type, enqueued in the same transaction.")
    private @Nullable String nextType;

    @Option(names = "--continue-payload", paramLabel = "JSON", description = "The payload of that job, default none.")
    private @Nullable String nextPayload;

    @Option(names = "--continue-queue", paramLabel = "NAME", description = "The queue of that job, default 'default'.")
    private @Nullable String nextQueue;

    private @Nullable JobRequest<Json, Json> next;

    CompleteCommand(Main main) {
        super(main, JobState.COMPLETED);
    }

    public static CommandLine commandLine(Main main) {
        // A result may be a negative number, which looks like an option; see UnknownOptions.
        return new CommandLine(new CompleteCommand(main)).setUnmatchedOptionsArePositionalParams(true);
    }

    @Override
    @Nullable String[] words() {
        return new @Nullable String[] {result};
    }

    @Override
    void checkOptions(List<@Nullable String> words) {
        result = words.get(0);
        String problem = result == null ? null : JsonScan.problem(result);
        if (problem != null) {
            throw new UsageException("the result is not one JSON value: " + problem);
        }
        next = next();
    }

    private @Nullable JobRequest<Json, Json> next() {
        if (nextType == null) {
            if (nextPayload != null || nextQueue != null) {
                throw new UsageException("%s needs --continue-with"
                        .formatted(nextPayload != null ? "--continue-payload" : "--continue-queue"));
            }
            return null;
        }
        JobDraft draft = new JobDraft(key -> key.equals("type") ? "--continue-with" : "--continue-" + key);
        draft.set("type", nextType);
        if (nextQueue != null) {
            draft.set("queue", nextQueue);
        }
        if (nextPayload != null) {
            draft.payload("--continue-payload", nextPayload);
        }
        return draft.build();
    }

    @Override
    Said end(JobHandle<Json> job) {
        Json end = result == null ? null : new Json(result);
        if (next == null) {
            if (end == null) {
                job.complete();
            } else {
                job.complete(end);
            }
            return new Said(fields -> fields.put("next", null), "");
        }
        JobRef<Json> following = end == null ? job.completeWith(next) : job.completeWith(end, next);
        return new Said(fields -> fields.id("next", following.id()), " and continues with job " + following);
    }
}
