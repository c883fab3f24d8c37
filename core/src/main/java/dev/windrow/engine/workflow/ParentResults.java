package dev.windrow.engine.workflow;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.WindrowException;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.payload.Json;
import dev.windrow.store.job.ParentOutcomeRow;
import dev.windrow.workflow.ParentOutcome;
import java.util.List;

/** The results of a job's parents in their own types, decoded on demand. */
public final class ParentResults {
    private ParentResults() {}

    /** Returns the outcomes with their results, including results that are stored separately. */
    public static List<ParentOutcome> loaded(List<ParentOutcome> parents, Payloads payloads) {
        return parents.stream()
                .<ParentOutcome>map(parent -> new ParentOutcomeRow(
                        /* id= */ parent.id(),
                        /* type= */ parent.type(),
                        /* name= */ parent.name(),
                        /* state= */ parent.state(),
                        /* errorCode= */ parent.errorCode(),
                        /* result= */ payloads.loaded(parent.result(), Long.MAX_VALUE)))
                .toList();
    }

    public static <O> O at(List<ParentOutcome> parents, int index, JobType<?, O> type, Payloads payloads) {
        if (index < 0 || index >= parents.size()) {
            throw new InvalidRequestException("parent %d is not allowed: the job has %s"
                    .formatted(index, parents.isEmpty() ? "none" : "0 to " + (parents.size() - 1)));
        }
        return decode(parents.get(index), type, payloads);
    }

    public static <O> O only(List<ParentOutcome> parents, JobType<?, O> type, Payloads payloads) {
        List<ParentOutcome> fitting = of(parents, type);
        if (fitting.size() != 1) {
            throw new InvalidRequestException(
                    "one parent of type %s was requested, but the job has %d".formatted(type, fitting.size()));
        }
        return decode(fitting.get(0), type, payloads);
    }

    public static <O> List<O> all(List<ParentOutcome> parents, JobType<?, O> type, Payloads payloads) {
        return of(parents, type).stream()
                .map(parent -> decode(parent, type, payloads))
                .toList();
    }

    private static List<ParentOutcome> of(List<ParentOutcome> parents, JobType<?, ?> type) {
        return parents.stream().filter(parent -> isOf(parent, type)).toList();
    }

    private static boolean isOf(ParentOutcome parent, JobType<?, ?> type) {
        return parent.type().equals(type.name()) || type.aliases().contains(parent.type());
    }

    // The type ties its output to O.
    @SuppressWarnings("unchecked")
    public static <O> O decode(ParentOutcome parent, JobType<?, O> type, Payloads payloads) {
        String name = "parent %d (%s)".formatted(parent.id(), parent.type());
        if (!isOf(parent, type)) {
            throw new InvalidRequestException("%s is not of type %s".formatted(name, type));
        }
        if (parent.state() != JobState.COMPLETED) {
            throw new InvalidRequestException("%s has no result: it is %s%s"
                    .formatted(
                            name,
                            parent.state(),
                            parent.errorCode() == null ? "" : " with code " + parent.errorCode()));
        }
        Json result = parent.result();
        Object value;
        try {
            value = payloads.decode(result == null ? null : result.text(), type.output());
        } catch (WindrowException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new InvalidRequestException(
                    "the result of %s does not fit %s: %s"
                            .formatted(name, type.output().getTypeName(), e),
                    e);
        }
        if (value == null) {
            throw new InvalidRequestException(name + " completed without a result");
        }
        return (O) value;
    }
}
