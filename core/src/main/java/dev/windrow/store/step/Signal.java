package dev.windrow.store.step;

import dev.windrow.step.Signalled;
import dev.windrow.store.Command;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Settle;
import org.jspecify.annotations.Nullable;

/**
 * Sends a job that has not ended an event, once for each name: the first one stays, and so does a time-out. A job that is parked {@linkplain
 * Settle#awaits awaiting} it takes {@link Transition#WAKE}; a job that is parked later does so in the transaction that parks it.
 *
 * <p>Fails with {@link dev.windrow.JobNotFoundException}, {@link dev.windrow.TransitionRefusedException} if the job has ended, and {@link
 * dev.windrow.InvalidRequestException} if the name is that of a step of another kind, or the job has {@link StepWrite#MAX_STEPS} already.
 *
 * @param job the job
 * @param name the name of the event
 * @param payload JSON text, or null
 * @param actor who tells it
 */
public record Signal(long job, String name, @Nullable String payload, String actor) implements Command<Signalled> {
    @Override
    public Phase phase() {
        return Phase.SIGNAL;
    }

    @Override
    public String what() {
        return "signalling job " + job;
    }
}
