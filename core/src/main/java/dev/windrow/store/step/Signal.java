package dev.windrow.store.step;

import dev.windrow.step.Signalled;
import dev.windrow.store.Author;
import dev.windrow.store.Command;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Settle;
import org.jspecify.annotations.Nullable;

/**
 * Sends an event to a job that has not ended, once for each name. The first event of a name stays, and a time-out stays, too. A job that is parked
 * {@linkplain Settle#awaits awaiting} it takes {@link Transition#WAKE}. A job that is parked later takes it in the transaction that parks it.
 *
 * <p>A signal that counts writes an {@link dev.windrow.monitor.AuditEntry}, and an entry of the job's event log.
 *
 * <p>Fails with {@link dev.windrow.JobNotFoundException} if the job does not exist. Fails with {@link dev.windrow.TransitionRefusedException} if the
 * job has ended. Fails with {@link dev.windrow.InvalidRequestException} if a step of another kind has the name, or the job has {@link
 * StepWrite#MAX_STEPS} already. Fails with {@link dev.windrow.ChangedMeanwhileException} if the job has another version than the expected one.
 *
 * @param job the job
 * @param name the name of the event
 * @param payload JSON text, or null
 * @param author the sender
 * @param expected the version that the job must have; null for any
 */
public record Signal(
        long job,
        String name,
        @Nullable String payload,
        Author author,
        @Nullable Long expected) implements Command<Signalled> {
    @Override
    public String actor() {
        return author.actor();
    }

    @Override
    public Phase phase() {
        return Phase.SIGNAL;
    }

    @Override
    public String what() {
        return "signalling job " + job;
    }
}
