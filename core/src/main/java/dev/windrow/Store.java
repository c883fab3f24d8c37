package dev.windrow;

/**
 * Describes where jobs are kept and how: {@code SqliteStore} or {@code PostgresStore}. Immutable, holds nothing open, and safe for use by
 * many threads. {@link Windrow#open} opens it.
 *
 * <p>Only Windrow's own modules implement it.
 */
public interface Store {
    /** Returns the place of the store, for people: a path or a URL without secrets. */
    String location();
}
