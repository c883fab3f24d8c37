package dev.windrow.store;

import java.util.List;

/**
 * The answer to a {@link Change}.
 *
 * @param count how many jobs were changed, or would be in a dry run; running ones that were asked to cancel included
 * @param ids at most 100 of them
 */
public record ChangeResult(long count, List<Long> ids) {}
