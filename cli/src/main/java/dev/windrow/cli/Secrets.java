package dev.windrow.cli;

import java.util.regex.Pattern;

/**
 * Passwords in URLs that were given where none belongs. Those that are given where they belong are taken out before anybody
 * can repeat them.
 */
public final class Secrets {
    private static final Pattern PARAMETER = Pattern.compile("(?i)(password=)[^\\s']*");
    private static final Pattern BEFORE_HOST = Pattern.compile("(?i)(postgres(?:ql)?://)[^\\s'/]*@");
    private static final Pattern URL = Pattern.compile("(?i)(?:postgres(?:ql)?|jdbc):");

    private Secrets() {}

    /** The text without passwords. */
    public static String hidden(String text) {
        return BEFORE_HOST.matcher(PARAMETER.matcher(text).replaceAll("$1...")).replaceAll("$1...@");
    }

    /** Whether there is a URL of a database in it. */
    public static boolean mayHoldOne(String text) {
        return URL.matcher(text).find();
    }
}
