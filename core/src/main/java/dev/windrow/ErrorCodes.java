package dev.windrow;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The error codes that Windrow gives to failed attempts, and the form of all codes: {@code CATEGORY:SUBCATEGORY}. Both parts consist of capital
 * letters, digits and underscores. A code has at most 100 characters.
 */
public final class ErrorCodes {
    /** The handler ran past its deadline. */
    public static final String TIMEOUT_EXECUTION = "TIMEOUT:EXECUTION";
    /** The job was not completed externally before the end of its wait. */
    public static final String TIMEOUT_WAIT = "TIMEOUT:WAIT";
    /** The payload could not be decoded into the handler's input type. */
    public static final String INVALID_PAYLOAD = "INVALID_INPUT:PAYLOAD";
    /** The handler threw an exception for which no other code is set. */
    public static final String INTERNAL_EXCEPTION = "INTERNAL:EXCEPTION";
    /** The worker process died during the attempt, or the handler ended it with {@code System.exit}. */
    public static final String INTERNAL_CRASHED = "INTERNAL:CRASHED";
    /** A payload or a result that is stored separately is missing or damaged. */
    public static final String INTERNAL_CONTENT = "INTERNAL:CONTENT";
    /** The handler ended its job inside a transaction, and returned although the transaction was not committed. */
    public static final String NOT_COMMITTED = "INTERNAL:NOT_COMMITTED";
    /** The batch handler returned without an outcome for this job, whose type has a result. */
    public static final String NO_OUTCOME = "INTERNAL:NO_OUTCOME";
    /**
     * The handler's result could not be written, because the store could not be reached. The worker gave the attempt up, and the job runs again when
     * its lease has expired. This code appears in traces only: no attempt is recorded with it.
     */
    public static final String NOT_STORED = "INTERNAL:NOT_STORED";
    /** The handler's result could not be encoded, or is too long. The work itself was done. */
    public static final String INVALID_RESULT = "INTERNAL:RESULT";

    /** The maximum number of kept characters of an error detail: 500. */
    public static final int MAX_DETAIL = 500;

    private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9_]*:[A-Z0-9_]+");

    private static final Pattern CATEGORY = Pattern.compile("[A-Z][A-Z0-9_]*:\\*");

    private ErrorCodes() {}

    /**
     * Returns the code if it has the right form.
     *
     * @throws InvalidRequestException if it does not
     */
    public static String check(String code) {
        if (code.length() > 100 || !CODE.matcher(code).matches()) {
            throw new InvalidRequestException(
                    "error code '%s' is not CATEGORY:SUBCATEGORY (capital letters, digits, underscores; at most 100)"
                            .formatted(code));
        }
        return code;
    }

    /**
     * Returns the pattern if it has the right form: one code, or all codes of a category as {@code CATEGORY:*}.
     *
     * @throws InvalidRequestException if it does not
     */
    public static String checkPattern(String pattern) {
        if (pattern.length() > 100
                || !(CODE.matcher(pattern).matches()
                        || CATEGORY.matcher(pattern).matches())) {
            throw new InvalidRequestException(
                    "error code '%s' is not CATEGORY:SUBCATEGORY or CATEGORY:* (capital letters, digits, underscores; at most 100)"
                            .formatted(pattern));
        }
        return pattern;
    }

    /** Returns the beginning of the codes of a category, such as {@code PROCESS:} for {@code PROCESS:*}; null if the pattern is one code. */
    public static @Nullable String category(String pattern) {
        return pattern.endsWith(":*") ? pattern.substring(0, pattern.length() - 1) : null;
    }

    /** True if the code equals the pattern, or belongs to the pattern's category. */
    public static boolean matches(String pattern, String code) {
        String category = category(pattern);
        return category == null ? pattern.equals(code) : code.startsWith(category);
    }
}
