package dev.windrow.schedule;

import java.time.LocalDate;
import java.time.Month;

/**
 * The days of a month that fit a cron expression: a set of days (bits 1 to 31) for each of the 28 kinds of months. Months differ by their length and
 * the weekday of their first day.
 */
final class CronDays {
    private static final int SHORTEST = 28;
    private static final int LONGEST = 31;
    private static final int WEEK = 7;
    private static final int SUNDAY = 0;
    private static final int SATURDAY = 6;

    private final int[] sets;

    private CronDays(int[] sets) {
        this.sets = sets;
    }

    /** Returns the days that fit in the month with this first day. */
    int of(LocalDate first) {
        return sets[kind(first.lengthOfMonth(), first.getDayOfWeek().getValue() % WEEK)];
    }

    /** True if a day ever fits in one of these months (bits 1 to 12). Each month begins on every weekday in some year. */
    boolean everIn(long months) {
        for (int month = 1; month <= 12; month++) {
            if (((months >>> month) & 1) != 0) {
                Month named = Month.of(month);
                for (int length = named.minLength(); length <= named.maxLength(); length++) {
                    for (int weekday = 0; weekday < WEEK; weekday++) {
                        if (sets[kind(length, weekday)] != 0) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    private static int kind(int length, int weekday) {
        return (length - SHORTEST) * WEEK + weekday;
    }

    /** The content of the two day fields. The parser sets it. */
    static final class Rules {
        /** True if the field allows every day, so that only the other field restricts. */
        boolean anyDate;

        boolean anyWeekday;
        /** Bits 1 to 31. */
        long dates;
        /** Bits 0 to 30: the number of days before the last one. */
        long beforeLast;
        /** Bits 1 to 31: the weekday nearest to that date. */
        long nearest;
        /** The last weekday of the month. */
        boolean lastNearest;
        /** Bits 0 (Sunday) to 6. */
        long weekdays;
        /** Bits 0 (Sunday) to 6: the last such day of the month. */
        long lastWeekdays;
        /** The first to fifth such day of the month, at 1 to 5: bits 0 (Sunday) to 6. */
        final long[] nth = new long[6];

        CronDays days() {
            int[] sets = new int[(LONGEST - SHORTEST + 1) * WEEK];
            for (int length = SHORTEST; length <= LONGEST; length++) {
                for (int first = 0; first < WEEK; first++) {
                    for (int day = 1; day <= length; day++) {
                        if (fits(day, length, first)) {
                            sets[kind(length, first)] |= 1 << day;
                        }
                    }
                }
            }
            return new CronDays(sets);
        }

        private boolean fits(int day, int length, int first) {
            boolean date = fitsDate(day, length, first);
            boolean weekday = fitsWeekday(day, length, (first + day - 1) % WEEK);
            boolean both = anyDate || anyWeekday;
            return both ? date && weekday : date || weekday;
        }

        private boolean fitsDate(int day, int length, int first) {
            if (has(dates, day) || has(beforeLast, length - day)) {
                return true;
            }
            long asked = lastNearest ? nearest | (1L << length) : nearest;
            for (int date = 1; date <= length && asked != 0; date++) {
                if (has(asked, date) && day == nearest(date, length, (first + date - 1) % WEEK)) {
                    return true;
                }
            }
            return false;
        }

        private static int nearest(int date, int length, int weekday) {
            return switch (weekday) {
                case SATURDAY -> date == 1 ? 3 : date - 1;
                case SUNDAY -> date == length ? date - 2 : date + 1;
                default -> date;
            };
        }

        private boolean fitsWeekday(int day, int length, int weekday) {
            return has(weekdays, weekday)
                    || (has(lastWeekdays, weekday) && day > length - WEEK)
                    || has(nth[(day - 1) / WEEK + 1], weekday);
        }

        private static boolean has(long set, int value) {
            return ((set >>> value) & 1) != 0;
        }
    }
}
