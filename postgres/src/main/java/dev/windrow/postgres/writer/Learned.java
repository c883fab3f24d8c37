package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.job.ClaimCursors;
import dev.windrow.postgres.job.DueCursor;
import dev.windrow.postgres.job.PassedOver;

/**
 * What a process has read from one run of the server, and what holds there only: another run may have lost the end of it, because a standby was promoted that
 * had fallen behind, or a backup was restored.
 *
 * @param run the run, see {@link Session#run}
 * @param names numbers of lanes and actors
 * @param ids job ids
 * @param claimCursors where claims begin
 * @param due where looks for the next due job begin
 * @param passedOver where claims have left jobs to others
 */
public record Learned(
        long run, Names names, Ids ids, ClaimCursors claimCursors, DueCursor due, PassedOver passedOver) {}
