package dev.windrow.wire;

import dev.windrow.payload.Json;

/**
 * Replaces confidential values in payloads, results and metadata before they leave the program. Implementations are thread-safe.
 *
 * <p>Only these documents are redacted. Error details, stack traces, output, log lines, progress messages and names are text of the handler and stay
 * unchanged.
 */
@FunctionalInterface
public interface Redactor {
    /**
     * Returns a document without its confidential values.
     *
     * @param type the type of the job
     * @param document a payload, the result of a job or a step, or metadata, as it is stored; it may not be JSON
     * @return one JSON value
     */
    Json redact(String type, Json document);

    /** Returns a redactor that changes nothing. */
    static Redactor none() {
        return (type, document) -> document;
    }

    /** Returns a redactor of values with the usual names, such as {@code password}. */
    static StandardRedactor standard() {
        return StandardRedactor.DEFAULT;
    }
}
