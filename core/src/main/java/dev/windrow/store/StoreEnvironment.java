package dev.windrow.store;

import dev.windrow.EventLevel;
import dev.windrow.TimeSource;

/**
 * The objects that an engine gives to its store.
 *
 * @param time the clock for all times
 * @param events the events that the store writes
 * @param hints receives the changes after commits
 */
public record StoreEnvironment(TimeSource time, EventLevel events, StoreHints hints) {}
