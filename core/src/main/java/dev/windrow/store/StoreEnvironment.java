package dev.windrow.store;

import dev.windrow.TimeSource;

/**
 * What an engine gives to its store.
 *
 * @param time where all time comes from
 * @param hints told what changed, after commits
 */
public record StoreEnvironment(TimeSource time, StoreHints hints) {}
