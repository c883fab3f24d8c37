package dev.windrow.monitor;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHandle;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Reads the state of a store and of this process, for probes, metrics and operators. Made by {@link Windrow#monitor}; safe for use by many threads. */
public interface Monitor {
    /** Reads the numbers of the whole store. */
    Statistics statistics();

    /** Reads the throughput with percentiles over the last hour; see {@link #throughput(Duration)}. */
    default Throughput throughput() {
        return throughput(Duration.ofHours(1));
    }

    /**
     * Reads how many attempts have ended, by type and in all, minute by minute for an hour and hour by hour for a day, and percentiles of waiting and
     * running times. Reads a row for each minute and each pair of queue and type, not the jobs.
     *
     * @param window the time over which percentiles are taken, in whole minutes; {@link Throughput#SHORTEST} to {@link Throughput#LONGEST}
     * @throws InvalidRequestException if the window is out of range
     */
    Throughput throughput(Duration window);

    /** Reads the workers in the registry, of all processes, the oldest first. */
    List<WorkerInfo> workers();

    /**
     * Returns the state of this process's background tasks: which of them fails, why, and since when. Waits neither for them nor for the store: made for
     * probes that ask every few seconds.
     */
    Health health();

    /**
     * Examines the whole store: its structure, the agreement of its parts, and the progress of its jobs. Changes nothing and holds up no writer, but
     * reads everything: on a large store this takes minutes.
     *
     * @throws StoreUnavailableException if the thread is interrupted, or the store is closed meanwhile
     */
    default Diagnosis diagnose() {
        return diagnose(DiagnoseOptions.ALL);
    }

    /** Examines the store with options; see {@link #diagnose()}. */
    Diagnosis diagnose(DiagnoseOptions options);

    /**
     * Reads the audit: changes of many jobs at once, of limits, schedules and rules, and of jobs that are deleted; the newest first.
     *
     * @param limit the most entries, 1 to 1000
     */
    List<AuditEntry> audit(int limit);

    /** Adds a listener of this process's events; see {@link Windrow.Builder#listener}. Adding it twice has no effect. */
    void addListener(WindrowListener listener);

    /**
     * Adds a listener of the attempts of this process's workers after which a job is {@code FAILED}. It does not hear of jobs that fail without an
     * attempt of this process: by {@link JobHandle#fail(String)}, by the end of a wait, or by the death of another process. Called on the thread of
     * all listeners.
     *
     * @return the listener, to be removed
     */
    @CanIgnoreReturnValue
    default WindrowListener onFailed(Consumer<WindrowEvent.AttemptEnded> action) {
        WindrowListener listener = event -> {
            if (event instanceof WindrowEvent.AttemptEnded ended && ended.state() == JobState.FAILED) {
                action.accept(ended);
            }
        };
        addListener(listener);
        return listener;
    }

    /** Removes a listener. An event that is being passed to it may still be completed. Has no effect if it was not added. */
    void removeListener(WindrowListener listener);
}
