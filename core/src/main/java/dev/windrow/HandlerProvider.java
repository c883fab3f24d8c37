package dev.windrow;

/**
 * Brings handlers to a worker that does not know them at compile time, found by {@link java.util.ServiceLoader}: the
 * command line's {@code work --handlers JAR}.
 */
public interface HandlerProvider {
    /** Registers this provider's handlers; called once, before the worker starts. */
    void register(Handlers handlers);
}
