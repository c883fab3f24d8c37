package dev.windrow.workflow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.JobState;
import dev.windrow.JobType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A filter of workflows for a listing. It matches the workflows that match all its parts. Begin with {@link #ALL}. Immutable. */
@CheckReturnValue
public final class WorkflowFilter {
    /** The filter for every workflow. */
    public static final WorkflowFilter ALL = new WorkflowFilter(false, false, null);

    private final boolean unfinished;
    private final boolean failed;
    private final @Nullable String type;

    private WorkflowFilter(boolean unfinished, boolean failed, @Nullable String type) {
        this.unfinished = unfinished;
        this.failed = failed;
        this.type = type;
    }

    /** Returns this filter for workflows with a job that has not ended, among the {@linkplain WorkflowInfo#status counted} ones. */
    public WorkflowFilter withUnfinished() {
        return new WorkflowFilter(true, failed, type);
    }

    /** Returns this filter for workflows with a job that is {@code FAILED}, among the {@linkplain WorkflowInfo#status counted} ones. */
    public WorkflowFilter withFailed() {
        return new WorkflowFilter(unfinished, true, type);
    }

    /** Returns this filter for workflows whose first job has this type. */
    public WorkflowFilter withType(String type) {
        return new WorkflowFilter(unfinished, failed, Objects.requireNonNull(type, "type"));
    }

    /** Returns this filter for workflows whose first job has this type, under its name and not its aliases. */
    public WorkflowFilter withType(JobType<?, ?> type) {
        return withType(type.name());
    }

    /** True if the filter matches the workflow. */
    public boolean matches(WorkflowInfo workflow) {
        return !(unfinished && workflow.status().isFinished())
                && !(failed && workflow.status().count(JobState.FAILED) == 0)
                && (type == null || type.equals(workflow.type()));
    }

    @Override
    public String toString() {
        return "WorkflowFilter[unfinished=%s, failed=%s, type=%s]".formatted(unfinished, failed, type);
    }
}
