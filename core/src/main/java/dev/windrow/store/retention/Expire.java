package dev.windrow.store.retention;

import dev.windrow.JobState;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.Command;
import dev.windrow.store.payload.SweepStaged;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Deletes jobs that have ended long ago in one transaction, with all that belongs to them: those that are as they were found, and that no
 * job needs now. Dedupe keys that hold longer than their job stay. Part of them, if there are more than fit into the time that is given; of a job
 * with very many edges only some of these. When blobs of theirs have more than {@link Expiry#BLOB_PARTS} parts, these are left to {@link SweepStaged}:
 * they belong to no job any more. None, and all are left, if the store has other rules by now than those of the {@linkplain Pass#storeRules pass}. Adds them to the pass's {@link
 * dev.windrow.monitor.AuditEntry}, and makes it if there is none.
 *
 * @param units of 1000 jobs in all at most
 * @param pass the pass that deletes them
 * @param audit the pass's entry in the audit; null: this is the first batch, which makes it
 * @param before the numbers of jobs that the pass has deleted before this batch, by state
 * @param budgetNanos after this long nothing further is begun
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
     * @param actor the actor, for the audit
     * @param rules the rules of the pass, for the audit
     * @param asOfMillis the time at which windows of dedupe keys are over: the store's, when the pass began, by which the jobs are old. One that was
     *     set ahead since then and is put right again has let no window go that still holds
     * @param storeRules the store's own rules when these jobs were looked for: if it has others now, nothing is done; null: whatever they are
     */
    public record Pass(
            String actor,
            String rules,
            long asOfMillis,
            @Nullable RetentionRules storeRules) {}

    /** The first batch of a pass, with all the time that it needs. */
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
        return pass.actor();
    }
}
