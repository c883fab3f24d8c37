package dev.windrow.store.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a claim.
 *
 * @param jobs the jobs, in claim order
 * @param nextDueMillis when the next scheduled job is due, in epoch milliseconds; null when none is scheduled
 * @param more whether fewer jobs came than were asked for although there may be more: the store leaves some to others
 */
public record Claimed(List<ClaimedJob> jobs, @Nullable Long nextDueMillis, boolean more) {}
