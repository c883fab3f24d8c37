package dev.windrow.schedule;

import static java.time.temporal.TemporalAdjusters.dayOfWeekInMonth;
import static java.time.temporal.TemporalAdjusters.lastDayOfMonth;
import static java.time.temporal.TemporalAdjusters.lastInMonth;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Random expressions at random times in random zones, against a reference that checks one minute or second after the
 * other. Each expression is generated as a text together with its meaning. The seed is printed;
 * {@code -Dwindrow.cron.seed=N} repeats the choices.
 */
class CronPropertyTest {
    private static final List<String> MONTHS =
            List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
    private static final List<String> WEEKDAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");
    /**
     * The first time: later than the last zone that was off by parts of a minute (Liberia, 1972), so that whole minutes
     * are enough.
     */
    private static final long FIRST = Instant.parse("1973-01-01T00:00:00Z").getEpochSecond();

    private static final long LAST = Instant.parse("2060-01-01T00:00:00Z").getEpochSecond();
    private static final long DAY = 86_400;

    /** The number of cases, which take a few seconds; in the long form, half a minute. */
    private static final int CASES = Boolean.getBoolean("windrow.soak") ? 10_000 : 1000;

    private record Part(String text, Set<Integer> values) {}

    private record Days(String text, boolean any, Predicate<LocalDate> fits) {}

    private record Expression(String text, int unitSeconds, Predicate<LocalDateTime> fits) {}

    private SplittableRandom random = new SplittableRandom();

    @Test
    void runsAreTheFirstInstantsOfMatchingLocalTimesAndEndsOfGaps() {
        long seed = seed("against every minute");
        List<String> zones = ZoneId.getAvailableZoneIds().stream().sorted().toList();
        int aroundChanges = 0;
        int found = 0;
        for (int i = 0; i < CASES; i++) {
            random = new SplittableRandom(seed + i);
            ZoneId zone = ZoneId.of(zones.get(random.nextInt(zones.size())));
            Expression expression = frequent(i % 4 == 0);
            long horizon = expression.unitSeconds() == 1 ? 4 * 3600 : 2 * DAY;
            long after = random.nextLong(FIRST, LAST);
            ZoneOffsetTransition change = zone.getRules().nextTransition(Instant.ofEpochSecond(after));
            if (change != null && i % 4 != 1) {
                after = change.toEpochSecond() + random.nextLong(-horizon / 2, horizon / 2);
                aroundChanges++;
            }
            Instant from = Instant.ofEpochSecond(after, random.nextInt(3) == 0 ? 999_999_999 : 0);
            List<Instant> expected = reference(expression, from, after + horizon, zone.getRules());
            List<Instant> actual = runs(Cron.parse(expression.text()), from, after + horizon, zone);
            assertThat(actual)
                    .as("%s in %s after %s (seed %d, case %d)", expression.text(), zone, from, seed, i)
                    .isEqualTo(expected);
            found += expected.size();
        }
        // These checks fail if the random cases miss the changes of clocks, or have few runs.
        assertThat(aroundChanges).isGreaterThan(CASES / 6);
        assertThat(found).isGreaterThan(3 * CASES);
    }

    @Test
    void datesAreThoseThatMatchTheCalendar() {
        long seed = seed("against every day");
        int rare = 0;
        for (int i = 0; i < 2 * CASES; i++) {
            random = new SplittableRandom(seed + i);
            Part months = random.nextInt(3) == 0 ? all() : part(1, 12, 12, MONTHS);
            Days dates = dates();
            Days weekdays = weekdays();
            Predicate<LocalDate> days = dates.any() || weekdays.any()
                    ? dates.fits().and(weekdays.fits())
                    : dates.fits().or(weekdays.fits());
            Predicate<LocalDate> fits = days.and(date -> months.values().contains(date.getMonthValue()));
            String text = "0 0 %s %s %s".formatted(dates.text(), months.text(), weekdays.text());
            LocalDate from = LocalDate.ofEpochDay(random.nextLong(FIRST, LAST) / DAY);
            LocalDate last = from.plusYears(41);
            LocalDate expected = from.plusDays(1);
            while (!fits.test(expected) && expected.isBefore(last)) {
                expected = expected.plusDays(1);
            }
            String what = "%s after %s (seed %d, case %d)".formatted(text, from, seed, i);
            if (expected.isBefore(last)) {
                rare += expected.isAfter(from.plusYears(1)) ? 1 : 0;
                assertThat(Cron.parse(text).next(midnight(from), ZoneOffset.UTC))
                        .as(what)
                        .isEqualTo(midnight(expected));
            } else {
                assertThatThrownBy(() -> Cron.parse(text))
                        .as(what)
                        .isInstanceOf(InvalidRequestException.class)
                        .hasMessageContaining("never runs");
            }
        }
        assertThat(rare).isPositive();
    }

    /** Checks one minute (or second) after the other, without a query for changes of the clocks. */
    private static List<Instant> reference(Expression expression, Instant after, long until, ZoneRules rules) {
        List<Instant> runs = new ArrayList<>();
        int unit = expression.unitSeconds();
        for (long at = (Math.floorDiv(after.getEpochSecond(), unit) + 1) * unit; at <= until; at += unit) {
            LocalDateTime before = local(at - unit, rules);
            LocalDateTime now = local(at, rules);
            boolean due = false;
            // This is usually the one step from the last local time to this one. In a gap it is all omitted times.
            for (LocalDateTime time = before.plusSeconds(unit); !time.isAfter(now); time = time.plusSeconds(unit)) {
                boolean isFirst = rules.getValidOffsets(time).size() < 2
                        || rules.getValidOffsets(time).get(0).equals(rules.getOffset(Instant.ofEpochSecond(at)));
                due |= isFirst && expression.fits().test(time);
            }
            if (due) {
                runs.add(Instant.ofEpochSecond(at));
            }
        }
        return runs;
    }

    private static LocalDateTime local(long epochSecond, ZoneRules rules) {
        return LocalDateTime.ofEpochSecond(epochSecond, 0, rules.getOffset(Instant.ofEpochSecond(epochSecond)));
    }

    private static List<Instant> runs(Cron cron, Instant after, long until, ZoneId zone) {
        List<Instant> runs = new ArrayList<>();
        for (Instant run = cron.next(after, zone); run.getEpochSecond() <= until; run = cron.next(run, zone)) {
            assertThat(run).isAfter(runs.isEmpty() ? after : runs.get(runs.size() - 1));
            runs.add(run);
        }
        return runs;
    }

    private static Instant midnight(LocalDate date) {
        return date.atStartOfDay().toInstant(ZoneOffset.UTC);
    }

    /** Returns an expression that fires a few times a day on many days. */
    private Expression frequent(boolean withSeconds) {
        Part second = withSeconds ? part(0, 59, 59, List.of()) : new Part("0", values(List.of(0)));
        Part minute = part(0, 59, 59, List.of());
        Part hour = random.nextInt(3) == 0 ? all() : part(0, 23, 23, List.of());
        Part weekday = random.nextInt(3) == 0 ? weekdayPart() : all();
        Predicate<LocalDateTime> fits = time -> second.values().contains(time.getSecond())
                && minute.values().contains(time.getMinute())
                && hour.values().contains(time.getHour())
                && weekday.values().contains(time.getDayOfWeek().getValue());
        String five = "%s %s * * %s".formatted(minute.text(), hour.text(), weekday.text());
        return withSeconds ? new Expression(second.text() + " " + five, 1, fits) : new Expression(five, 60, fits);
    }

    private static Part all() {
        return new Part("*", values(IntStream.range(0, 100).boxed().toList()));
    }

    private static Set<Integer> values(List<Integer> values) {
        return new TreeSet<>(values);
    }

    /**
     * Returns a list of items. The field's values are from min to max. The text may contain a number up to greatest.
     */
    private Part part(int min, int max, int greatest, List<String> names) {
        StringBuilder text = new StringBuilder();
        Set<Integer> values = new TreeSet<>();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            text.append(text.isEmpty() ? "" : ",").append(item(min, max, greatest, names, values));
        }
        return new Part(text.toString(), values);
    }

    /** Returns a list of weekdays. Sunday is among the values as both 0 and 7 if it is one of them. */
    private Part weekdayPart() {
        Part part = part(0, 6, 7, WEEKDAYS);
        if (part.values().contains(0)) {
            part.values().add(7);
        }
        return part;
    }

    private String item(int min, int max, int greatest, List<String> names, Set<Integer> values) {
        int first = random.nextInt(min, greatest + 1);
        int last = random.nextInt(min, greatest + 1);
        int step = random.nextInt(1, max - min + 2);
        String begin = name(first, min, names);
        return switch (random.nextInt(6)) {
            case 0 -> {
                everyOf(IntStream.rangeClosed(min, max), step, values);
                yield "*/" + step;
            }
            case 1 -> {
                everyOf(IntStream.rangeClosed(first, greatest), step, values);
                yield begin + "/" + step;
            }
            case 2, 3 -> {
                boolean stepped = random.nextBoolean();
                IntStream range = first <= last
                        ? IntStream.rangeClosed(first, last)
                        : IntStream.concat(IntStream.rangeClosed(first, max), IntStream.rangeClosed(min, last));
                everyOf(range, stepped ? step : 1, values);
                yield begin + "-" + name(last, min, names) + (stepped ? "/" + step : "");
            }
            default -> {
                everyOf(IntStream.of(first), 1, values);
                yield begin;
            }
        };
    }

    private static void everyOf(IntStream range, int step, Set<Integer> values) {
        int[] all = range.toArray();
        for (int i = 0; i < all.length; i += step) {
            values.add(all[i]);
        }
    }

    private String name(int value, int min, List<String> names) {
        int at = value - min;
        if (at < names.size() && random.nextBoolean()) {
            return random.nextBoolean() ? names.get(at) : names.get(at).toLowerCase(Locale.ROOT);
        }
        return random.nextInt(4) == 0 ? "%02d".formatted(value) : Integer.toString(value);
    }

    private Days dates() {
        return switch (random.nextInt(7)) {
            case 0, 1 -> new Days(random.nextBoolean() ? "*" : "?", true, date -> true);
            case 2 -> new Days("L", false, date -> date.getDayOfMonth() == date.lengthOfMonth());
            case 3 -> {
                int before = random.nextInt(1, 31);
                yield new Days("L-" + before, false, date -> date.getDayOfMonth() == date.lengthOfMonth() - before);
            }
            case 4 -> {
                int nearest = random.nextInt(1, 32);
                yield new Days(
                        nearest + "W",
                        false,
                        date -> nearest <= date.lengthOfMonth() && date.equals(nearest(date.withDayOfMonth(nearest))));
            }
            case 5 -> new Days("LW", false, date -> date.equals(nearest(date.with(lastDayOfMonth()))));
            default -> {
                Part part = part(1, 31, 31, List.of());
                yield new Days(
                        part.text(),
                        part.text().startsWith("*"),
                        date -> part.values().contains(date.getDayOfMonth()));
            }
        };
    }

    private static LocalDate nearest(LocalDate date) {
        for (int distance = 0; ; distance++) {
            for (LocalDate near : List.of(date.minusDays(distance), date.plusDays(distance))) {
                if (near.getMonth() == date.getMonth()
                        && near.getDayOfWeek() != DayOfWeek.SATURDAY
                        && near.getDayOfWeek() != DayOfWeek.SUNDAY) {
                    return near;
                }
            }
        }
    }

    private Days weekdays() {
        int weekday = random.nextInt(0, 8);
        DayOfWeek day = DayOfWeek.of(weekday == 0 ? 7 : weekday);
        String name = name(weekday, 0, WEEKDAYS);
        return switch (random.nextInt(5)) {
            case 0, 1 -> new Days(random.nextBoolean() ? "*" : "?", true, date -> true);
            case 2 -> new Days(name + "L", false, date -> date.equals(date.with(lastInMonth(day))));
            case 3 -> {
                int nth = random.nextInt(1, 6);
                yield new Days(name + "#" + nth, false, date -> date.equals(date.with(dayOfWeekInMonth(nth, day))));
            }
            default -> {
                Part part = weekdayPart();
                yield new Days(
                        part.text(),
                        part.text().startsWith("*"),
                        date -> part.values().contains(date.getDayOfWeek().getValue()));
            }
        };
    }

    private static long seed(String what) {
        long seed = Long.getLong("windrow.cron.seed", System.nanoTime());
        System.out.println("cron " + what + ": seed " + seed);
        return seed;
    }
}
