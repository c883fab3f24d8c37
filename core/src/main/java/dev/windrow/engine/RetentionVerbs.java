package dev.windrow.engine;

import dev.windrow.Cleanup;
import dev.windrow.CleanupFailedException;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.Retention;
import dev.windrow.RetentionResult;
import dev.windrow.RetentionRules;
import dev.windrow.RetentionRun;
import dev.windrow.SizeChange;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.store.BackgroundTask;
import dev.windrow.store.RetentionChange;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rules of retention, and passes on the caller's thread. */
record RetentionVerbs(Reads reads, Blobs blobs, TimeSource time, String actor) implements Retention {
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
                reads.store(), new RetentionChange(new RetentionRules.Rule(state, type, keep), reset, actor));
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
        RetentionPass pass = new RetentionPass(reads.store(), rules(), cleanup, actor, reads::find, blobs::deleteFiles);
        IdleWait rest = new IdleWait(time);
        try {
            long pause;
            while ((pause = pass.step()) != RetentionPass.DONE
                    && cleanup.progress().test(pass.sofar())) {
                rest.take(pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (cleanup.dryRun()) {
                throw new StoreUnavailableException("counting was interrupted", e);
            }
            throw new CleanupFailedException("the pass was interrupted", pass.sofar(), e);
        } catch (InvalidRequestException e) {
            throw e;
        } catch (WindrowException e) {
            if (cleanup.dryRun()) {
                throw e;
            }
            throw new CleanupFailedException(e.getMessage(), pass.sofar(), e);
        }
        return pass.sofar();
    }

    @Override
    public SizeChange vacuum() {
        return reads.store().vacuum();
    }
}
