package dev.windrow.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints a setting with which the application cannot start: the property, its value, and what is allowed. */
final class WindrowFailureAnalyzer extends AbstractFailureAnalyzer<InvalidWindrowPropertyException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidWindrowPropertyException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
