package dev.windrow;

import java.util.regex.Pattern;

/**
 * The error codes that Windrow itself gives to failed attempts, and the shape of all codes: {@code CATEGORY:SUBCATEGORY},
 * both of capital letters, digits and underscores, at most 100 characters in all.
 */
public final class ErrorCodes {
    /** The handler ran past its deadline. */
    public static final String TIMEOUT_EXECUTION = "TIMEOUT:EXECUTION";
    /** The job was not completed externally within the time that it was to wait. */
    public static final String TIMEOUT_WAIT = "TIMEOUT:WAIT";
    /** The payload could not be decoded into the handler's input type. */
    public static final String INVALID_PAYLOAD = "INVALID_INPUT:PAYLOAD";
    /** The handler threw something that says nothing more precise. */
    public static final String INTERNAL_EXCEPTION = "INTERNAL:EXCEPTION";
    /** The worker process was gone while the attempt ran, or the handler ended it with {@code System.exit}. */
    public static final String INTERNAL_CRASHED = "INTERNAL:CRASHED";
    /** A payload or result that is kept apart is not there any more, or damaged. */
    public static final String INTERNAL_CONTENT = "INTERNAL:CONTENT";
    /** The handler ended its job inside a transaction, and returned although that was not committed. */
    public static final String NOT_COMMITTED = "INTERNAL:NOT_COMMITTED";
    /**
     * The handler's result could not be written, for the store was out of reach: the attempt was given up, and the job runs again when its lease has run out. Of
     * traces alone; no attempt is recorded with it.
     */
    public static final String NOT_STORED = "INTERNAL:NOT_STORED";
    /** The handler's result could not be encoded, or is too long; the work itself was done. */
    public static final String INVALID_RESULT = "INTERNAL:RESULT";

    /** The most characters of an error detail that are kept: 500. */
    public static final int MAX_DETAIL = 500;

    private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9_]*:[A-Z0-9_]+");

    private static final Pattern CATEGORY = Pattern.compile("[A-Z][A-Z0-9_]*:\\*");

    private ErrorCodes() {}

    /**
     * Returns the code if it has the right shape.
     *
     * @throws InvalidRequestException if it has not
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
     * Returns the pattern if it has the right shape: one code, or all of a category as {@code CATEGORY:*}.
     *
     * @throws InvalidRequestException if it has not
     */
    static String checkPattern(String pattern) {
        if (pattern.length() > 100
                || !(CODE.matcher(pattern).matches()
                        || CATEGORY.matcher(pattern).matches())) {
            throw new InvalidRequestException(
                    "error codes '%s' are not CATEGORY:SUBCATEGORY or CATEGORY:* (capital letters, digits, underscores; at most 100)"
                            .formatted(pattern));
        }
        return pattern;
    }

    /** True if the code is the pattern, or of the pattern's category. */
    static boolean matches(String pattern, String code) {
        return pattern.endsWith(":*")
                ? code.startsWith(pattern.substring(0, pattern.length() - 1))
                : pattern.equals(code);
    }
}
