package dev.windrow.cli;

import java.util.regex.Pattern;

/**
 * Removes passwords from URLs that the user wrote in a wrong place. Passwords in the right place are removed earlier,
 * before any code can repeat them.
 */
public final class Secrets {
    private static final Pattern PARAMETER = Pattern.compile("(?i)(password=)[^\\s']*");
    private static final Pattern BEFORE_HOST = Pattern.compile("(?i)(postgres(?:ql)?://)[^\\s'/]*@");
    private static final Pattern URL = Pattern.compile("(?i)(?:postgres(?:ql)?|jdbc):");

    private Secrets() {}

    /** Returns the text without passwords. */
    public static String hidden(String text) {
        return BEFORE_HOST.matcher(PARAMETER.matcher(text).replaceAll("$1...")).replaceAll("$1...@");
    }

    /** True if the text contains a URL of a database. */
    public static boolean mayHoldOne(String text) {
        return URL.matcher(text).find();
    }
}
