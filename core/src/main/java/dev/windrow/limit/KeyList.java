package dev.windrow.limit;

import java.util.List;

/**
 * The concurrency keys with the most waiting jobs. Made by {@link dev.windrow.Windrow#keys}.
 *
 * @param keys the keys, most waiting jobs first, and by name among equals. If they are not all keys, they are the ones with the most waiting jobs, where
 *     {@link #MAX_RANKED} jobs and more count as equal
 * @param found the number of keys with waiting jobs, a pause or a limit
 * @param atLeast true if the read has not looked at all of them: {@code found} is a lower bound, and a key after {@link #MAX_LOOKED} others by name
 *     is missing
 */
public record KeyList(List<KeyInfo> keys, int found, boolean atLeast) {
    /** The number of keys with waiting jobs, and of keys with a pause or a limit, at which a read looks: {@value}. */
    public static final int MAX_LOOKED = 1000;

    /** The number up to which the waiting jobs of all keys are compared: {@value}. */
    public static final int MAX_RANKED = 100;

    /** The maximum number of keys of a list: {@value}. */
    public static final int MAX_KEYS = 200;

    /** Copies the list. */
    public KeyList {
        keys = List.copyOf(keys);
    }
}
