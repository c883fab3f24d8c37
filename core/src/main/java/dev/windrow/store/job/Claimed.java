package dev.windrow.store.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a claim.
 *
 * @param jobs the jobs, in claim order
 * @param nextDueMillis when the next scheduled job is due, in epoch milliseconds; null when none is scheduled
 * @param more true if fewer jobs were claimed than requested although more may be ready, because the store leaves some to other workers
 */
public record Claimed(List<ClaimedJob> jobs, @Nullable Long nextDueMillis, boolean more) {}
