package dev.windrow.schedule;

import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses one cron expression; {@link Cron} describes the syntax. */
final class CronParser {
    /** The maximum length, enough for a list of all 60 seconds and a list of all 60 minutes. */
    private static final int MAX_LENGTH = 500;

    private static final Map<String, String> NICKNAMES = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");
    private static final String NICKNAMES_TEXT = "@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly";

    private static final Pattern SPAN =
            Pattern.compile("(\\*|[A-Z]{3}|[0-9]{1,4})(?:-([A-Z]{3}|[0-9]{1,4}))?(?:/([0-9]{1,4}))?");
    private static final Pattern BEFORE_LAST = Pattern.compile("L(?:-([0-9]{1,4}))?");
    private static final Pattern NEAREST = Pattern.compile("([0-9]{1,4})W");
    private static final Pattern LAST_WEEKDAY = Pattern.compile("([A-Z]{3}|[0-9]{1,4})L");
    private static final Pattern NTH_WEEKDAY = Pattern.compile("([A-Z]{3}|[0-9]{1,4})#([0-9]{1,4})");

    private static final String[] ALL = {"*"};

    private enum Field {
        SECOND("second", 0, 59, "", "0 to 59"),
        MINUTE("minute", 0, 59, "", "0 to 59"),
        HOUR("hour", 0, 23, "", "0 to 23"),
        DAY_OF_MONTH("day of month", 1, 31, "", "1 to 31, L, L-1 to L-30, 1W to 31W, LW, ?"),
        MONTH("month", 1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", "1 to 12, JAN to DEC"),
        DAY_OF_WEEK(
                "day of week",
                0,
                6,
                "SUN MON TUE WED THU FRI SAT",
                "0 to 7, SUN to SAT, FRIL or 5L, FRI#1 to FRI#5, ?");

        final String text;
        final int min;
        final int max;
        /** The names of the values, each of three letters, from the least value on. */
        final String names;

        final String allowed;

        Field(String text, int min, int max, String names, String allowed) {
            this.text = text;
            this.min = min;
            this.max = max;
            this.names = names;
            this.allowed = allowed;
        }

        int size() {
            return max - min + 1;
        }

        /** Returns the greatest allowed number. Sunday has two numbers. */
        int greatest() {
            return this == DAY_OF_WEEK ? 7 : max;
        }
    }

    private final String text;

    /** Creates a parser for a {@linkplain #normalised normalised} text. */
    CronParser(String text) {
        this.text = text;
    }

    /** Returns the text in capitals with single spaces. A nickname is in small letters. */
    static String normalised(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new InvalidRequestException("cron expression '%s' has %d characters: allowed are %d"
                    .formatted(Bounds.shortened(text), text.length(), MAX_LENGTH));
        }
        String stripped = text.strip();
        for (int i = 0; i < stripped.length(); i++) {
            char c = stripped.charAt(i);
            // Some letters beyond ASCII have a capital within it.
            if ((c < ' ' && c != '\t') || c > '~') {
                throw new InvalidRequestException(
                        "cron expression '%s' has the character U+%04X: allowed are letters, digits, * ? , - / # @ and spaces"
                                .formatted(Bounds.shortened(stripped), (int) c));
            }
        }
        return stripped.startsWith("@")
                ? stripped.toLowerCase(Locale.ROOT)
                : stripped.replaceAll("[ \t]+", " ").toUpperCase(Locale.ROOT);
    }

    CronFields fields() {
        String[] parts = expanded().split(" ", -1);
        if (text.isEmpty() || parts.length < 5 || parts.length > 6) {
            throw refused(
                    "has %s: allowed are five (minute, hour, day of month, month, day of week), six with seconds first, or one of %s"
                            .formatted(
                                    text.isEmpty()
                                            ? "no fields"
                                            : parts.length == 1 ? "1 field" : parts.length + " fields",
                                    NICKNAMES_TEXT));
        }
        int at = parts.length - 5;
        CronFields fields = new CronFields(
                at == 0 ? 1 : set(Field.SECOND, parts[0]),
                set(Field.MINUTE, parts[at]),
                set(Field.HOUR, parts[at + 1]),
                set(Field.MONTH, parts[at + 3]),
                days(parts[at + 2], parts[at + 4]));
        if (!fields.days().everIn(fields.months())) {
            throw refused("never runs: the months '%s' have no day with day of month '%s' and day of week '%s'"
                    .formatted(parts[at + 3], parts[at + 2], parts[at + 4]));
        }
        return fields;
    }

    private String expanded() {
        if (!text.startsWith("@")) {
            return text;
        }
        String fields = NICKNAMES.get(text);
        if (fields == null) {
            throw refused("is not allowed: %s".formatted(NICKNAMES_TEXT));
        }
        return fields;
    }

    private long set(Field field, String value) {
        long set = 0;
        for (String item : value.split(",", -1)) {
            set |= span(field, item);
        }
        return set;
    }

    private CronDays days(String dates, String weekdays) {
        CronDays.Rules rules = new CronDays.Rules();
        rules.anyDate = isAny(dates);
        rules.anyWeekday = isAny(weekdays);
        for (String item : dates.equals("?") ? ALL : dates.split(",", -1)) {
            date(rules, item);
        }
        for (String item : weekdays.equals("?") ? ALL : weekdays.split(",", -1)) {
            weekday(rules, item);
        }
        return rules.days();
    }

    private static boolean isAny(String days) {
        return days.startsWith("*") || days.equals("?");
    }

    private void date(CronDays.Rules rules, String item) {
        Matcher last = BEFORE_LAST.matcher(item);
        Matcher nearest = NEAREST.matcher(item);
        if (last.matches()) {
            rules.beforeLast |=
                    1L << (last.group(1) == null ? 0 : number(Field.DAY_OF_MONTH, item, last.group(1), 1, 30));
        } else if (nearest.matches()) {
            rules.nearest |= 1L << number(Field.DAY_OF_MONTH, item, nearest.group(1), 1, 31);
        } else if (item.equals("LW")) {
            rules.lastNearest = true;
        } else {
            rules.dates |= span(Field.DAY_OF_MONTH, item);
        }
    }

    private void weekday(CronDays.Rules rules, String item) {
        Matcher last = LAST_WEEKDAY.matcher(item);
        Matcher nth = NTH_WEEKDAY.matcher(item);
        if (last.matches()) {
            rules.lastWeekdays |= 1L << (value(Field.DAY_OF_WEEK, item, last.group(1)) % 7);
        } else if (nth.matches()) {
            int n = number(Field.DAY_OF_WEEK, item, nth.group(2), 1, 5);
            rules.nth[n] |= 1L << (value(Field.DAY_OF_WEEK, item, nth.group(1)) % 7);
        } else {
            rules.weekdays |= span(Field.DAY_OF_WEEK, item);
        }
    }

    /** Parses a value, a range, or a range with a step. */
    private long span(Field field, String item) {
        Matcher m = SPAN.matcher(item);
        boolean all = item.startsWith("*");
        if (!m.matches() || (all && m.group(2) != null)) {
            throw refused(field, item);
        }
        int step = m.group(3) == null ? 1 : step(field, item, m.group(3));
        int first = all ? field.min : value(field, item, m.group(1));
        int last = first;
        if (m.group(2) != null) {
            last = value(field, item, m.group(2));
        } else if (all) {
            last = field.max;
        } else if (m.group(3) != null) {
            last = field.greatest();
        }
        if (last < first) {
            last += field.size();
        }
        long set = 0;
        for (int value = first; value <= last; value += step) {
            set |= 1L << ((value - field.min) % field.size() + field.min);
        }
        return set;
    }

    private int value(Field field, String item, String value) {
        if (Character.isDigit(value.charAt(0))) {
            return number(field, item, value, field.min, field.greatest());
        }
        int at = field.names.indexOf(value);
        if (at < 0) {
            throw refused(field, item);
        }
        return field.min + at / 4;
    }

    private int number(Field field, String item, String digits, int least, int greatest) {
        int number = Integer.parseInt(digits);
        if (number < least || number > greatest) {
            throw refused(field, item);
        }
        return number;
    }

    private int step(Field field, String item, String digits) {
        int step = Integer.parseInt(digits);
        if (step < 1 || step > field.size()) {
            // A longer step would be the first value only. An author of */90 in the minutes wants something else.
            throw refused("has the %s '%s': allowed are steps of 1 to %d".formatted(field.text, item, field.size()));
        }
        return step;
    }

    private InvalidRequestException refused(Field field, String item) {
        return refused("has the %s '%s': allowed are %s, ranges, steps and lists of them, and *"
                .formatted(field.text, Bounds.shortened(item), field.allowed));
    }

    private InvalidRequestException refused(String why) {
        return new InvalidRequestException("cron expression '%s' %s".formatted(Bounds.shortened(text), why));
    }
}
