package dev.windrow.engine;

import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.engine.monitor.FailureLog;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.engine.monitor.Traces;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.store.OpenStore;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The objects that all parts of one {@link Windrow} share.
 *
 * @param store the store of the jobs
 * @param time the source of time
 * @param random the source of jitter
 * @param payloads reads and writes inputs and results
 * @param listeners the listeners that are notified
 * @param callbacks runs short actions of callers
 * @param traces traces jobs
 * @param failures logs failed attempts
 * @param metadataInLogs the names of metadata that appear in log lines and traces
 */
public record EngineContext(
        OpenStore store,
        TimeSource time,
        RandomGenerator random,
        Payloads payloads,
        Listeners listeners,
        Callbacks callbacks,
        Traces traces,
        FailureLog failures,
        List<String> metadataInLogs) {}
