package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.job.DueCursor;
import dev.windrow.postgres.job.PassedOver;

/**
 * The data that a process has read from one run of the server, and that is valid for this run only. Another run may have lost the end of it, because
 * a standby was promoted that had fallen behind, or a backup was restored.
 *
 * @param run the run, see {@link Session#run}
 * @param names numbers of lanes and actors
 * @param ids job ids
 * @param claimCursors the positions at which claims begin
 * @param due the position at which queries for the next due job begin
 * @param passedOver the lanes in which claims have skipped rows
 */
public record Learned(
        long run, Names names, Ids ids, ClaimCursors claimCursors, DueCursor due, PassedOver passedOver) {}
