package dev.windrow.schedule;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;

/**
 * The local times of a cron expression as sets of bits, and the search in them. No set is empty, and some day of some month fits.
 *
 * @param seconds bits 0 to 59
 * @param minutes bits 0 to 59
 * @param hours bits 0 to 23
 * @param months bits 1 to 12
 * @param days the days of a month
 */
record CronFields(long seconds, long minutes, long hours, long months, CronDays days) {
    /** The number of years after which all dates fall on the same weekdays again. */
    private static final int CYCLE_YEARS = 400;

    private static final int NONE = -1;

    /** Returns the first local time at or after this one (a whole second) that fits. */
    LocalDateTime firstFrom(LocalDateTime from) {
        LocalDate date = dateFrom(from.toLocalDate());
        if (date.equals(from.toLocalDate())) {
            int second = secondOfDayFrom(from.getHour(), from.getMinute(), from.getSecond());
            if (second != NONE) {
                return date.atTime(LocalTime.ofSecondOfDay(second));
            }
            date = dateFrom(date.plusDays(1));
        }
        return date.atTime(first(hours), first(minutes), first(seconds));
    }

    private int secondOfDayFrom(int hour, int minute, int second) {
        if (has(hours, hour)) {
            int laterSecond = next(seconds, second);
            if (has(minutes, minute) && laterSecond < Long.SIZE) {
                return secondOfDay(hour, minute, laterSecond);
            }
            int laterMinute = next(minutes, minute + 1);
            if (laterMinute < Long.SIZE) {
                return secondOfDay(hour, laterMinute, first(seconds));
            }
        }
        int laterHour = next(hours, hour + 1);
        return laterHour < Long.SIZE ? secondOfDay(laterHour, first(minutes), first(seconds)) : NONE;
    }

    private LocalDate dateFrom(LocalDate from) {
        int begin = from.getMonthValue();
        for (int year = from.getYear(); year <= from.getYear() + CYCLE_YEARS; year++) {
            for (int month = next(months, begin); month <= 12; month = next(months, month + 1)) {
                LocalDate first = LocalDate.of(year, month, 1);
                int set = days.of(first);
                if (year == from.getYear() && month == from.getMonthValue()) {
                    set &= -1 << from.getDayOfMonth();
                }
                if (set != 0) {
                    return first.withDayOfMonth(Integer.numberOfTrailingZeros(set));
                }
            }
            begin = 1;
        }
        throw new IllegalStateException("no date fits " + this + ", which the parser should have refused");
    }

    private static boolean has(long set, int value) {
        return ((set >>> value) & 1) != 0;
    }

    private static int first(long set) {
        return Long.numberOfTrailingZeros(set);
    }

    /** Returns the least value of the set from this one on, or {@link Long#SIZE}. */
    private static int next(long set, int value) {
        return Long.numberOfTrailingZeros(set & (-1L << value));
    }

    private static int secondOfDay(int hour, int minute, int second) {
        return (hour * 60 + minute) * 60 + second;
    }
}
