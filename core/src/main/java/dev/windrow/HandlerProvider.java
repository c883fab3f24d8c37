package dev.windrow;

/**
 * Registers handlers with a worker that does not know them at compile time: the command line's {@code work --handlers JAR}. Found by
 * {@link java.util.ServiceLoader}.
 */
public interface HandlerProvider {
    /** Registers this provider's handlers. Called once, before the worker starts. */
    void register(Handlers handlers);
}
