package dev.windrow.monitor;

/**
 * Hears what happens in this process. Called on engine threads, after the commit where there is one: return quickly. An
 * exception is logged and ignored.
 */
@FunctionalInterface
public interface WindrowListener {
    /** Takes one event; match on its type and ignore those that you do not know. */
    void on(WindrowEvent event);
}
