package dev.windrow.store.sql.workflow;

import dev.windrow.JobState;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowInfo;
import dev.windrow.workflow.WorkflowPage;
import dev.windrow.workflow.WorkflowStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The listing of workflows. They have no rows of their own: the index of the jobs of workflows leads from one to the next. */
public final class StoredWorkflows {
    /** The number of jobs after which a page ends, because its caller waits for it. */
    private static final int COUNTED = 100_000;
    /** The number of workflows after which a page ends. */
    private static final int LOOKED = 5_000;
    /** The workflows of one read. It counts all their jobs before their number is known, so this bounds the jobs beyond {@link #COUNTED}. */
    private static final int CHUNK = 20;

    private record Info(long id, String type, @Nullable String name, Instant createdAt, WorkflowStatus status)
            implements WorkflowInfo {
        @Override
        public boolean isCapped() {
            return status.jobs() == MAX_COUNTED;
        }
    }

    private StoredWorkflows() {}

    /** Returns a page of the workflows that match. */
    public static WorkflowPage list(Statements statements, WorkflowFilter filter, long before, int limit)
            throws SQLException {
        List<WorkflowInfo> found = new ArrayList<>();
        long at = before;
        int looked = 0;
        long counted = 0;
        while (looked < LOOKED && counted < COUNTED) {
            int wanted = filter == WorkflowFilter.ALL ? Math.min(CHUNK, limit + 1 - found.size()) : CHUNK;
            List<WorkflowInfo> read = statements
                    .get(Statement.LIST_WORKFLOWS)
                    .set(1, at)
                    .set(2, wanted)
                    .set(3, WorkflowInfo.MAX_COUNTED)
                    .list(StoredWorkflows::info);
            for (WorkflowInfo workflow : read) {
                if (found.size() == limit) {
                    return new WorkflowPage(found, at, looked);
                }
                at = workflow.id();
                looked++;
                counted += workflow.status().jobs();
                if (filter.matches(workflow)) {
                    found.add(workflow);
                }
            }
            if (read.size() < wanted) {
                return new WorkflowPage(found, null, looked);
            }
        }
        return new WorkflowPage(found, at, looked);
    }

    private static WorkflowInfo info(ResultSet row) throws SQLException {
        long id = row.getLong(1);
        return new Info(
                id,
                row.getString(2),
                row.getString(3),
                Instant.ofEpochMilli(row.getLong(4)),
                new WorkflowStatus(id, states(row.getString(5))));
    }

    /** Reads the counts of a text such as {@code FAILED 1,PENDING 20}. */
    private static Map<JobState, Long> states(String counts) {
        Map<JobState, Long> states = new EnumMap<>(JobState.class);
        for (String count : counts.split(",", -1)) {
            int space = count.indexOf(' ');
            states.put(JobState.valueOf(count.substring(0, space)), Long.valueOf(count.substring(space + 1)));
        }
        return states;
    }
}
