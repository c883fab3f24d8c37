package dev.windrow.tests.telemetry;

import java.io.PrintStream;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.MDC;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** A logging provider that keeps a diagnostic context and prints it after each line. {@code -Dslf4j.provider} names it. */
public final class ContextLogging implements SLF4JServiceProvider {
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter context = new BasicMDCAdapter();

    @Override
    public ILoggerFactory getLoggerFactory() {
        return Printing::new;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return context;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {
        // No action is needed.
    }

    /** A logger that prints lines of level INFO and above. */
    private static final class Printing extends LegacyAbstractLogger {
        private static final long serialVersionUID = 1L;

        Printing(String name) {
            this.name = name;
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return true;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return name;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, Marker marker, String pattern, Object[] arguments, Throwable failure) {
            Map<String, String> context = MDC.getCopyOfContextMap();
            PrintStream out = System.out;
            out.println(MessageFormatter.basicArrayFormat(pattern, arguments) + " | "
                    + (context == null ? Map.of() : new TreeMap<>(context)));
        }
    }
}
