package dev.windrow.monitor;

/**
 * Gets the events of this process, after the commit if there is one. One thread calls all listeners, so return quickly. An exception is logged and
 * ignored.
 */
@FunctionalInterface
public interface WindrowListener {
    /** Handles one event. Match on its type, and ignore unknown types. */
    void on(WindrowEvent event);
}
