package dev.windrow.store;

import org.jspecify.annotations.Nullable;

/**
 * The author of a change.
 *
 * @param actor the name in the event log and the audit
 * @param reason why, or null
 */
public record Author(String actor, @Nullable String reason) {}
