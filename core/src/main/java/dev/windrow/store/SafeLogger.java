package dev.windrow.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.spi.LocationAwareLogger;

/**
 * A logger that catches everything that the logging back end throws, on a full disk or without memory. So a log line never ends a loop, and never
 * causes a second run of a committed transaction. A line that could not be logged goes to {@link System#err} with the reason, if that is possible.
 * Safe for use by many threads.
 */
public final class SafeLogger extends AbstractLogger {
    private static final long serialVersionUID = 1L;
    private static final String CALLER = SafeLogger.class.getName();

    private final transient Logger logger;

    SafeLogger(Logger logger) {
        this.logger = logger;
        this.name = logger.getName();
    }

    /** Returns the logger of a class. */
    public static Logger of(Class<?> owner) {
        return new SafeLogger(LoggerFactory.getLogger(owner));
    }

    /** Returns the text of an exception, or its class if {@code toString} throws. */
    public static String text(Throwable e) {
        try {
            return String.valueOf(e);
        } catch (Throwable again) {
            return e.getClass().getName();
        }
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return CALLER;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String message,
            @Nullable Object @Nullable [] arguments,
            @Nullable Throwable throwable) {
        try {
            if (logger instanceof LocationAwareLogger located) {
                located.log(marker, CALLER, level.toInt(), message, arguments, throwable);
            } else {
                var event = logger.makeLoggingEventBuilder(level);
                if (arguments != null) {
                    for (Object argument : arguments) {
                        event = event.addArgument(argument);
                    }
                }
                event.setCause(throwable).log(message);
            }
        } catch (Throwable e) {
            tell(message, arguments, throwable, e);
        }
    }

    private static void tell(
            String message, @Nullable Object @Nullable [] arguments, @Nullable Throwable throwable, Throwable e) {
        try {
            // Without the classes of the log, which may be what has failed.
            System.err.println("windrow: the log failed (" + e + ") at: " + message
                    + (arguments == null ? "" : " " + Arrays.toString(arguments))
                    + (throwable == null ? "" : " " + text(throwable)));
        } catch (Throwable again) {
            // No other place to report the failure is left.
        }
    }

    private boolean isEnabled(Level level) {
        try {
            return logger.isEnabledForLevel(level);
        } catch (Throwable e) {
            return true; // the call that logs reports the failure
        }
    }

    private boolean isEnabled(Level level, @Nullable Marker marker) {
        try {
            return switch (level) {
                case TRACE -> logger.isTraceEnabled(marker);
                case DEBUG -> logger.isDebugEnabled(marker);
                case INFO -> logger.isInfoEnabled(marker);
                case WARN -> logger.isWarnEnabled(marker);
                case ERROR -> logger.isErrorEnabled(marker);
            };
        } catch (Throwable e) {
            return true;
        }
    }

    @Override
    public boolean isTraceEnabled() {
        return isEnabled(Level.TRACE);
    }

    @Override
    public boolean isTraceEnabled(@Nullable Marker marker) {
        return isEnabled(Level.TRACE, marker);
    }

    @Override
    public boolean isDebugEnabled() {
        return isEnabled(Level.DEBUG);
    }

    @Override
    public boolean isDebugEnabled(@Nullable Marker marker) {
        return isEnabled(Level.DEBUG, marker);
    }

    @Override
    public boolean isInfoEnabled() {
        return isEnabled(Level.INFO);
    }

    @Override
    public boolean isInfoEnabled(@Nullable Marker marker) {
        return isEnabled(Level.INFO, marker);
    }

    @Override
    public boolean isWarnEnabled() {
        return isEnabled(Level.WARN);
    }

    @Override
    public boolean isWarnEnabled(@Nullable Marker marker) {
        return isEnabled(Level.WARN, marker);
    }

    @Override
    public boolean isErrorEnabled() {
        return isEnabled(Level.ERROR);
    }

    @Override
    public boolean isErrorEnabled(@Nullable Marker marker) {
        return isEnabled(Level.ERROR, marker);
    }
}
