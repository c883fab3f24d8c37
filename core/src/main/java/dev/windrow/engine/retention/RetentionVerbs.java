package dev.windrow.engine.retention;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.engine.Answers;
import dev.windrow.engine.IdleWait;
import dev.windrow.engine.job.Reads;
import dev.windrow.engine.payload.BlobStreams;
import dev.windrow.payload.Json;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.CleanupFailedException;
import dev.windrow.retention.Retention;
import dev.windrow.retention.RetentionResult;
import dev.windrow.retention.RetentionRules;
import dev.windrow.retention.RetentionRun;
import dev.windrow.retention.SizeChange;
import dev.windrow.store.Author;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.retention.RetentionChange;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rules of retention, and passes on the caller's thread. */
public record RetentionVerbs(Reads reads, BlobStreams blobs, TimeSource time, Author author) implements Retention {
    @Override
    public RetentionRules rules() {
        return reads.store().retention();
    }

    @Override
    public RetentionRules keep(JobState state, Duration time) {
        return change(state, null, Objects.requireNonNull(time, "time"), false);
    }

    @Override
    public RetentionRules keep(JobState state, String type, Duration time) {
        return change(state, Objects.requireNonNull(type, "type"), Objects.requireNonNull(time, "time"), false);
    }

    @Override
    public RetentionRules keepForever(JobState state) {
        return change(state, null, null, false);
    }

    @Override
    public RetentionRules keepForever(JobState state, String type) {
        return change(state, Objects.requireNonNull(type, "type"), null, false);
    }

    @Override
    public RetentionRules reset(JobState state) {
        return change(state, null, Duration.ZERO, true);
    }

    @Override
    public RetentionRules reset(JobState state, String type) {
        return change(state, Objects.requireNonNull(type, "type"), Duration.ZERO, true);
    }

    private RetentionRules change(JobState state, @Nullable String type, @Nullable Duration keep, boolean reset) {
        return Answers.get(
                reads.store(), new RetentionChange(new RetentionRules.Rule(state, type, keep), reset, author));
    }

    @Override
    public Optional<RetentionRun> lastRun() {
        BackgroundTask.State state = reads.store().task(BackgroundTask.RETENTION);
        Long last = state.lastMillis();
        String detail = state.detail();
        return last == null
                ? Optional.empty()
                : Optional.of(new RetentionRun(
                        time.now().minusMillis(state.nowMillis() - last), detail == null ? null : new Json(detail)));
    }

    @Override
    public RetentionResult cleanup(Cleanup cleanup) {
        RetentionPass pass = pass(cleanup, false);
        try {
            return run(pass, cleanup);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CleanupFailedException("the pass was interrupted", pass.sofar(), e);
        } catch (InvalidRequestException e) {
            throw e;
        } catch (WindrowException e) {
            throw new CleanupFailedException(e.getMessage(), pass.sofar(), e);
        }
    }

    @Override
    public RetentionResult preview(Cleanup cleanup) {
        try {
            return run(pass(cleanup, true), cleanup);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("counting was interrupted", e);
        }
    }

    private RetentionPass pass(Cleanup cleanup, boolean preview) {
        return new RetentionPass(reads.store(), rules(), cleanup, preview, author, reads::find, blobs::deleteFiles);
    }

    private RetentionResult run(RetentionPass pass, Cleanup cleanup) throws InterruptedException {
        IdleWait rest = new IdleWait(time);
        long pause;
        while ((pause = pass.step()) != RetentionPass.DONE && cleanup.progress().test(pass.sofar())) {
            rest.take(pause);
        }
        return pass.sofar();
    }

    @Override
    public SizeChange vacuum() {
        return reads.store().vacuum();
    }
}
