package dev.windrow.postgres.job;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.postgres.query.ReadSql;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.job.JobInfos;
import dev.windrow.store.sql.query.Listings;
import dev.windrow.workflow.ParentPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The reads of jobs. One statement reads few or many, because every statement is a round trip to the server. */
public final class JobReads {
    /** The column of a job's tags. */
    static final int TAGS = 32;

    /** The listings, with 50 jobs a statement, because their dependencies are read with them. */
    public static final Listings LISTINGS = new Listings(JobReads::read, 50);

    private JobReads() {}

    /** Reads the jobs that exist, newest first. */
    public static List<JobInfos.Read> read(Statements statements, Collection<Long> ids) throws SQLException {
        return statements
                .get(ReadSql.READ_JOBS)
                .ids(1, ids)
                .list(row -> JobInfos.of(row, dependencies(row, 33), dependencies(row, 36), Rows.texts(row, TAGS)));
    }

    /** Reads the related jobs from three columns: their ids, states and policies. */
    private static List<JobInfo.Dependency> dependencies(ResultSet row, int first) throws SQLException {
        List<Long> ids = Rows.longs(row, first);
        List<String> states = Rows.texts(row, first + 1);
        List<String> policies = Rows.texts(row, first + 2);
        List<JobInfo.Dependency> others = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            others.add(new JobInfo.Dependency(
                    ids.get(i), JobState.valueOf(states.get(i)), ParentPolicy.valueOf(policies.get(i))));
        }
        return others;
    }
}
