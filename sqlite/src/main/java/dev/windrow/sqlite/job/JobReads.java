package dev.windrow.sqlite.job;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.sqlite.query.ReadSql;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.job.JobInfos;
import dev.windrow.store.sql.query.Listings;
import dev.windrow.workflow.ParentPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Reads of jobs, one by one: a statement costs hardly more than the rows that it reads. */
public final class JobReads {
    /** The listings. Each job is read separately, because it may depend on very many jobs. */
    public static final Listings LISTINGS = new Listings(JobReads::read, 1);

    private JobReads() {}

    /** Reads the existing jobs among these, newest first. */
    public static List<JobInfos.Read> read(Statements statements, Collection<Long> ids) throws SQLException {
        List<JobInfos.Read> jobs = new ArrayList<>();
        for (long id : ids.stream().sorted(Comparator.reverseOrder()).toList()) {
            try (ResultSet row = statements.get(ReadSql.READ_JOB).set(1, id).rows()) {
                if (row.next()) {
                    jobs.add(JobInfos.of(
                            row,
                            dependencies(statements, ReadSql.READ_DEPENDS_ON, id),
                            dependencies(statements, ReadSql.READ_DEPENDENTS, id),
                            statements.get(ReadSql.READ_TAGS).set(1, id).list(tags -> tags.getString(1))));
                }
            }
        }
        return jobs;
    }

    private static List<JobInfo.Dependency> dependencies(Statements statements, String sql, long id)
            throws SQLException {
        return statements
                .get(sql)
                .set(1, id)
                .list(rows -> new JobInfo.Dependency(
                        rows.getLong(1), JobState.valueOf(rows.getString(2)), ParentPolicy.valueOf(rows.getString(3))));
    }
}
