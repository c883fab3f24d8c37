package dev.windrow.dashboard;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.workflow.ChainInfo;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a chain that a sender sees: what its visible jobs say.
 *
 * @param id the chain
 * @param jobs the visible jobs, at least one
 */
record VisibleChain(@Override long id, List<JobInfo> jobs) implements ChainInfo {
    private JobInfo last() {
        return jobs.get(jobs.size() - 1);
    }

    @Override
    public String type() {
        return jobs.get(0).type();
    }

    @Override
    public long lastJob() {
        return last().id();
    }

    @Override
    public String lastType() {
        return last().type();
    }

    @Override
    public JobState state() {
        return last().state();
    }

    @Override
    public int length() {
        return jobs.size();
    }

    @Override
    public Instant createdAt() {
        return jobs.get(0).createdAt();
    }

    @Override
    public @Nullable Instant finishedAt() {
        return last().finishedAt();
    }
}
