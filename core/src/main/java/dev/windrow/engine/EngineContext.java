package dev.windrow.engine;

import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.engine.monitor.FailureLog;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.engine.monitor.Traces;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.store.OpenStore;
import java.util.random.RandomGenerator;

/**
 * What all parts of one {@link Windrow} share.
 *
 * @param store where jobs are kept
 * @param time where time comes from
 * @param random where jitter comes from
 * @param payloads how inputs and results are read and written
 * @param listeners who is told
 * @param callbacks where callers' own short actions run
 * @param traces who follows jobs
 * @param failures logs failed attempts
 */
public record EngineContext(
        OpenStore store,
        TimeSource time,
        RandomGenerator random,
        Payloads payloads,
        Listeners listeners,
        Callbacks callbacks,
        Traces traces,
        FailureLog failures) {}
