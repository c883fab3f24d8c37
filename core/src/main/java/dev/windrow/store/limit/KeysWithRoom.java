package dev.windrow.store.limit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Concurrency keys with waiting jobs that seem to have a free permit.
 *
 * @param keys the keys
 * @param next the key after which to continue; null at the end
 */
public record KeysWithRoom(List<String> keys, @Nullable String next) {}
