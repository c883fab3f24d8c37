package dev.windrow.store.retention;

import dev.windrow.JobState;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.Author;
import dev.windrow.store.Command;
import dev.windrow.store.payload.SweepStaged;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Deletes jobs that ended long ago in one transaction, with all that belongs to them. It deletes a job only if the job has not changed and no other
 * job needs it now. Dedupe keys that hold longer than their job stay. If the time is too short for all jobs, it deletes some of them. Of a job with
 * very many edges it deletes only some edges.
 *
 * <p>If their blobs have more than {@link Expiry#BLOB_PARTS} parts, these are left to {@link SweepStaged}: they belong to no job any more. It deletes
 * nothing and returns all as left if the rules of the store are no longer the {@linkplain Pass#storeRules rules of the pass}. It adds the jobs to the
 * pass's {@link dev.windrow.monitor.AuditEntry}, and creates the entry if it does not exist.
 *
 * @param units the jobs; at most 1000 in all
 * @param pass the pass that deletes them
 * @param audit the pass's entry in the audit; null for the first batch, which creates it
 * @param before the numbers of jobs that the pass has deleted before this batch, by state
 * @param budgetNanos the time after which no further deletion begins
 */
public record Expire(
        List<Expiry.Unit> units, Pass pass, @Nullable Long audit, Map<JobState, Long> before, long budgetNanos)
        implements Command<Expiry.Done> {
    /** Copies the collections. */
    public Expire {
        units = List.copyOf(units);
        before = Map.copyOf(before);
    }

    /**
     * A pass of retention.
     *
     * @param author the author, for the audit
     * @param rules the rules of the pass, for the audit
     * @param asOfMillis the store's clock when the pass began; the age of jobs and the end of windows of dedupe keys are by this time. If a clock is
     *     set ahead later and then corrected, no window that still holds is deleted
     * @param storeRules the store's own rules when these jobs were found; if the store has other rules now, nothing is deleted; null to accept any
     *     rules
     */
    public record Pass(
            Author author,
            String rules,
            long asOfMillis,
            @Nullable RetentionRules storeRules) {}

    /** Returns the first batch of a pass, without a limit of time. */
    public static Expire first(List<Expiry.Unit> units, Pass pass) {
        return new Expire(units, pass, null, Map.of(), Long.MAX_VALUE);
    }

    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "deleting old jobs";
    }

    @Override
    public int weight() {
        return Math.max(1, units.stream().mapToInt(unit -> unit.jobs().size()).sum());
    }

    @Override
    public String actor() {
        return pass.author().actor();
    }
}
