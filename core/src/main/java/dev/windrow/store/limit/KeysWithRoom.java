package dev.windrow.store.limit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Concurrency keys with jobs in line that seem to have room.
 *
 * @param keys the keys
 * @param next where to go on; null at the end
 */
public record KeysWithRoom(List<String> keys, @Nullable String next) {}
