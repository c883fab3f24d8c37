package dev.windrow;

/**
 * The description of a store: its location and its settings, as {@code SqliteStore} or {@code PostgresStore}. Immutable, holds nothing open, and safe
 * for use by many threads. {@link Windrow#open} opens it.
 *
 * <p>Only the modules of Windrow implement this interface.
 */
public interface Store {
    /** Returns the location of the store as a text for humans: a path, or a URL without secrets. */
    String location();
}
