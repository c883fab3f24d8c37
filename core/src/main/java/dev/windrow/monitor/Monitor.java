package dev.windrow.monitor;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHandle;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads the state of a store and of this process, for probes, metrics and operators, and records reveals. Made by {@link Windrow#monitor}. Safe for use by many threads.
 */
public interface Monitor {
    /**
     * Returns the time of the store's clock, by which jobs are due and stored times are written. On PostgreSQL it is the clock of the server, as far as
     * this process knows it, to about half a second. The call does not wait for the store.
     */
    Instant now();

    /** Reads the statistics of the whole store. */
    Statistics statistics();

    /** Reads the throughput with percentiles over the last hour; see {@link #throughput(Duration)}. */
    default Throughput throughput() {
        return throughput(Duration.ofHours(1));
    }

    /** Reads the throughput of all types and queues; see {@link #throughput(Duration, ThroughputFilter)}. */
    default Throughput throughput(Duration window) {
        return throughput(window, ThroughputFilter.ALL);
    }

    /**
     * Reads how many attempts have ended, by type and in all, with percentiles of waiting and running times: over a window, minute by minute for an
     * hour, and hour by hour for a day. For each pair of queue and type the call reads a row for each of 60 minutes and for each hour, not the jobs.
     *
     * @param window the time of the totals, in whole minutes; {@link Throughput#SHORTEST} to {@link Throughput#LONGEST}
     * @throws InvalidRequestException if the window is out of range
     */
    Throughput throughput(Duration window, ThroughputFilter filter);

    /** Reads the first 20 names of a field that begin with the prefix; see {@link #suggest(SuggestField, String, int)}. */
    default List<String> suggest(SuggestField field, String prefix) {
        return suggest(field, prefix, 20);
    }

    /**
     * Reads the first names of a field that begin with the prefix, for completion. The names are in the order of their UTF-8 bytes. The call steps
     * from name to name in an index, or reads a small table; it never reads the jobs.
     *
     * @param prefix the literal beginning in its case, without wildcards; empty for all names
     * @param limit the maximum number of names, 1 to 100
     * @throws InvalidRequestException if the limit is out of range
     */
    List<String> suggest(SuggestField field, String prefix, int limit);

    /** Reads the workers in the registry, of all processes, the oldest first. */
    List<WorkerInfo> workers();

    /**
     * Returns the state of this process's background tasks: for a failing task the reason and the time since it fails. The call waits neither for the
     * tasks nor for the store, so probes may call it every few seconds.
     */
    Health health();

    /**
     * Examines the whole store: its structure, the consistency of its data, and the progress of its jobs. The call changes nothing and blocks no
     * writer, but reads everything. On a large store this takes minutes.
     *
     * @throws StoreUnavailableException if the thread is interrupted, or the store is closed during the call
     */
    default Diagnosis diagnose() {
        return diagnose(DiagnoseOptions.ALL);
    }

    /** Examines the store with options; see {@link #diagnose()}. */
    Diagnosis diagnose(DiagnoseOptions options);

    /**
     * Returns a listing of the audit, newest first: changes of jobs from outside, changes of limits, schedules and rules, and passes of retention that
     * match a filter.
     */
    @CheckReturnValue
    AuditQuery audit(AuditFilter filter);

    /** Records that the actor was shown confidential values of these jobs; see {@link #recordReveal(Collection, Map)}. */
    default void recordReveal(Collection<? extends JobRef<?>> jobs) {
        recordReveal(jobs, Map.of());
    }

    /**
     * Writes an entry of the audit with the action {@code REVEAL}: the actor was shown confidential values, such as payloads. It has the actor of
     * {@link Windrow#as} and the reason of {@link Windrow#because}, changes no job and has no content. The entry is durable when the call returns. So an
     * application calls this before it shows the values, and shows none if the call throws.
     *
     * <pre>{@code
     * windrow.as("alice").monitor().recordReveal(List.of(cat));
     * }</pre>
     *
     * @param jobs the jobs, whose number the entry has. It names the first 100, without jobs that do not exist. May be empty if there is a detail
     * @param detail what was shown, such as {@code schedule=nightly}: up to 10 names of 1 to 50 characters, each with 1 to 500 characters, no control
     *     characters
     * @throws InvalidRequestException if the detail is not allowed, or there are neither jobs nor a detail
     * @throws StoreUnavailableException if the entry cannot be written now
     */
    void recordReveal(Collection<? extends JobRef<?>> jobs, Map<String, String> detail);

    /** Adds a listener of this process's events; see {@link Windrow.Builder#listener}. A second call with the same listener has no effect. */
    void addListener(WindrowListener listener);

    /**
     * Adds a listener of the attempts of this process's workers after which a job is {@code FAILED}. It gets no event for a job that fails without an
     * attempt of this process: by {@link JobHandle#fail(String)}, by the end of a wait, or by the death of another process. Called on the thread of
     * all listeners.
     *
     * @return the listener, for {@link #removeListener}
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

    /** Removes a listener. A call of the listener that is under way may still end later. Has no effect if the listener was not added. */
    void removeListener(WindrowListener listener);
}
