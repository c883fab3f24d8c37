package dev.windrow.engine.job;

import dev.windrow.Explanation;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.payload.Content;
import dev.windrow.payload.ContentLostException;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.store.OpenStore;
import dev.windrow.workflow.BatchProgress;
import dev.windrow.workflow.ChainInfo;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reads of one job. */
public record Reads(OpenStore store, Payloads payloads) {
    /** The longest payload or result in bytes that a history loads into memory. */
    private static final long LOADED_BYTES = 1 << 20;

    JobInfo info(long id) {
        List<JobInfo> jobs = store.jobs(JobFilter.ALL, List.of(id)).jobs();
        if (jobs.isEmpty()) {
            throw new JobNotFoundException("job", id);
        }
        return jobs.get(0);
    }

    JobHistory history(long id) {
        return find(id).orElseThrow(() -> new JobNotFoundException("job", id));
    }

    /** Returns the history of a job; empty if the job does not exist any more. */
    public Optional<JobHistory> find(long id) {
        return store.history(id).map(history -> history.with(shown(history.payload()), shown(history.result())));
    }

    Explanation explain(long id) {
        return store.explain(id).orElseThrow(() -> new JobNotFoundException("job", id));
    }

    List<JobInfo> chain(long id) {
        List<JobInfo> jobs = store.chain(id);
        if (jobs.isEmpty()) {
            throw new JobNotFoundException("job", id);
        }
        return jobs;
    }

    ChainInfo chainInfo(long id) {
        return store.chainInfo(id).orElseThrow(() -> new JobNotFoundException("chain of job", id));
    }

    BatchProgress batch(long id) {
        return store.batch(id).orElseThrow(() -> new JobNotFoundException("job", id));
    }

    Optional<Content> payload(long id) {
        return content(stored(id).payload());
    }

    Optional<Content> result(long id) {
        return content(stored(id).result());
    }

    private JobHistory stored(long id) {
        return store.history(id).orElseThrow(() -> new JobNotFoundException("job", id));
    }

    private Optional<Content> content(@Nullable Json stored) {
        return stored == null ? Optional.empty() : Optional.of(payloads.content(stored.text()));
    }

    private @Nullable Json shown(@Nullable Json stored) {
        return stored == null ? null : loaded(stored);
    }

    /**
     * Returns the content of a payload or result. Returns its reference if it is long, lost, or in a file that this
     * process does not know.
     */
    Json loaded(Json stored) {
        try {
            Json loaded = payloads.loaded(stored, LOADED_BYTES);
            return loaded == null ? stored : loaded;
        } catch (ContentLostException | StoreUnavailableException e) {
            return stored;
        }
    }
}
