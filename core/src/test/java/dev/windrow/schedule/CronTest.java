package dev.windrow.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CronTest {
    private static final String ALSO = ", ranges, steps and lists of them, and *";
    private static final String NICKNAMES = "@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly";

    /** The start of 2026, a Thursday. */
    private static final String NEW_YEAR = "2026-01-01T00:00";

    @Test
    void aFieldIsAStarOrAValue() {
        runs("* * * * *", "00:01", "00:02", "00:03");
        runs("30 * * * *", "00:30", "01:30");
        runs("0 5 * * *", "05:00", "01-02T05:00");
        runs("00 05 * * *", "05:00", "01-02T05:00");
        runs("0 0 1 * *", "02-01", "03-01");
        runs("0 0 31 * *", "01-31", "03-31", "05-31");
        runs("59 23 31 12 *", "12-31T23:59", "2027-12-31T23:59");
        runs("0 0 1 3 *", "03-01", "2027-03-01");
        runs("0 0 * * 1", "01-05", "01-12");
    }

    @Test
    void sixFieldsBeginWithSeconds() {
        runs("10 * * * * *", "00:00:10", "00:01:10");
        runs("*/20 59 23 * * *", "23:59:00", "23:59:20", "23:59:40", "01-02T23:59:00");
        runs("* * * * * *", "00:00:01", "00:00:02");
        runs("59 59 23 31 12 *", "12-31T23:59:59", "2027-12-31T23:59:59");
    }

    @Test
    void monthsAndWeekdaysHaveNamesInAnyCase() {
        runs("0 0 1 jan *", "2027-01-01");
        runs("0 0 1 Mar,DEC *", "03-01", "12-01");
        runs("0 0 * * mon", "01-05", "01-12");
        List<String> months = List.of("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" "));
        for (String month : months) {
            assertThat(Cron.parse("0 0 1 " + month + " *").next(Instant.parse("2026-12-31T00:00:00Z"), ZoneOffset.UTC))
                    .isEqualTo("2027-%02d-01T00:00:00Z".formatted(months.indexOf(month) + 1));
        }
        List<String> weekdays = List.of("THU FRI SAT SUN MON TUE WED".split(" "));
        for (String weekday : weekdays) {
            runs("0 12 * * " + weekday, "01-0%dT12:00".formatted(weekdays.indexOf(weekday) + 1));
        }
    }

    @Test
    void sundayIsZeroAndSeven() {
        for (String sunday : List.of("0", "7", "SUN", "00", "07", "7-7", "0-0", "7-0", "7/3")) {
            runs("0 0 * * " + sunday, "01-04", "01-11", "01-18");
        }
        runs("0 0 * * 0-7", "01-02", "01-03");
        runs("0 0 * * 5-7", "01-02", "01-03", "01-04", "01-09");
        runs("0 0 * * FRI-SUN", "01-02", "01-03", "01-04", "01-09");
        runs("0 0 * * 6-0", "01-03", "01-04", "01-10");
        runs("0 0 * * 7-1", "01-04", "01-05", "01-11");
        runs("0 0 * * SUN-MON", "01-04", "01-05", "01-11");
        runs("0 0 * * 7L", "01-25", "02-22", "03-29");
        runs("0 0 * * 0#1", "01-04", "02-01", "03-01");
    }

    @Test
    void aRangeHasBothEnds() {
        runs("0 9-11 * * *", "09:00", "10:00", "11:00", "01-02T09:00");
        runs("0 0 * * MON-FRI", "01-02", "01-05", "01-06");
        runs("0 0 1 APR-JUN *", "04-01", "05-01", "06-01", "2027-04-01");
    }

    @Test
    void aRangeMayWrapAround() {
        runs("0 22-1 * * *", "01:00", "22:00", "23:00", "01-02T00:00");
        runs("0 0 * * FRI-MON", "01-02", "01-03", "01-04", "01-05", "01-09");
        runs("0 0 1 NOV-FEB *", "02-01", "11-01", "12-01", "2027-01-01");
        runs("58-1 * * * *", "00:01", "00:58", "00:59", "01:00", "01:01", "01:58");
        runs("0 0 30-2 * *", "01-02", "01-30", "01-31", "02-01", "02-02", "03-01");
        runs("50-10/10 * * * *", "00:10", "00:50", "01:00", "01:10");
        runs("0 0 * * 5-1/2", "01-02", "01-04", "01-09");
    }

    @Test
    void aStepSelectsEveryNthValue() {
        runs("*/15 * * * *", "00:15", "00:30", "00:45", "01:00");
        runs("10-40/15 * * * *", "00:10", "00:25", "00:40", "01:10");
        runs("50/4 * * * *", "00:50", "00:54", "00:58", "01:50");
        runs("*/25 * * * *", "00:25", "00:50", "01:00");
        runs("*/60 * * * *", "01:00", "02:00");
        runs("0 */12 * * *", "12:00", "01-02T00:00");
        runs("0 0 */10 * *", "01-11", "01-21", "01-31", "02-01");
        runs("0 0 1 */6 *", "07-01", "2027-01-01");
        runs("0 0 1 FEB/5 *", "02-01", "07-01", "12-01", "2027-02-01");
        runs("0 0 * * 1/2", "01-02", "01-04", "01-05", "01-07");
        runs("0 0 * * */3", "01-03", "01-04", "01-07", "01-10");
        runs("0 0 * * SUN/3", "01-03", "01-04", "01-07", "01-10");
    }

    @Test
    void aListHasItemsOfAnyKind() {
        runs("0,30 8,18 * * *", "08:00", "08:30", "18:00", "18:30", "01-02T08:00");
        runs("1-3,10,*/30,10 * * * *", "00:01", "00:02", "00:03", "00:10", "00:30", "01:00");
        runs("0 0 1,L * *", "01-31", "02-01", "02-28");
        runs("0 0 * * MON#1,FRI#3,SUNL", "01-05", "01-16", "01-25", "02-02", "02-20", "02-22");
    }

    @Test
    void lSelectsTheLastDayOfTheMonthOrDaysBeforeIt() {
        runs("0 0 L * *", "01-31", "02-28", "03-31", "04-30");
        runs("0 0 L 2 *", "02-28", "2027-02-28", "2028-02-29");
        runs("0 0 l-3 * *", "01-28", "02-25", "03-28");
        runs("0 0 L-30 * *", "03-01", "05-01", "07-01");
        runs("0 0 L-1,L * *", "01-30", "01-31", "02-27", "02-28");
    }

    @Test
    void wSelectsTheWeekdayNearestToADate() {
        runs("0 0 15W * *", "01-15", "02-16", "03-16", "04-15", "05-15", "06-15", "07-15", "08-14");
        runs("0 0 1W * *", "02-02", "03-02", "04-01", "05-01", "06-01", "07-01", "08-03");
        runs("0 0 31W * *", "01-30", "03-31", "05-29", "07-31");
        runs("0 0 LW * *", "01-30", "02-27", "03-31", "04-30", "05-29");
    }

    @Test
    void weekdaysMayBeTheLastOrNthOfTheMonth() {
        runs("0 0 * * FRIL", "01-30", "02-27", "03-27");
        runs("0 0 * * 5L", "01-30", "02-27", "03-27");
        runs("0 0 * * FRI#2", "01-09", "02-13", "03-13");
        runs("0 0 * * 5#2", "01-09", "02-13", "03-13");
        runs("0 0 * * MON#5", "03-30", "06-29");
    }

    @Test
    void aQuestionMarkMeansAStarInTheDayFields() {
        runs("0 0 ? * MON", "01-05", "01-12");
        runs("0 0 15 * ?", "01-15", "02-15");
        runs("0 0 ? * ?", "01-02", "01-03");
    }

    @Test
    void eitherOfTwoRestrictedDayFieldsMatches() {
        runs("0 0 13 * FRI", "01-02", "01-09", "01-13", "01-16", "01-23", "01-30", "02-06", "02-13", "02-20");
        runs("0 0 1-31 * MON", "01-02", "01-03");
        runs("0 0 30 2 MON", "02-02", "02-09");
        runs("0 0 L * SUN#1", "01-04", "01-31", "02-01", "02-28");
    }

    @Test
    void aDayFieldThatBeginsWithAStarDoesNotCountAsRestricted() {
        runs("0 0 */2 * MON", "01-05", "01-19", "02-09", "02-23");
        runs("0 0 13 * */5", "02-13", "03-13", "09-13", "11-13");
    }

    @Test
    void nicknamesExpandToFields() {
        Map<String, String> nicknames = Map.of(
                "@yearly", "0 0 1 1 *",
                "@annually", "0 0 1 1 *",
                "@monthly", "0 0 1 * *",
                "@weekly", "0 0 * * 0",
                "@daily", "0 0 * * *",
                "@midnight", "0 0 * * *",
                "@hourly", "0 * * * *",
                " @DAILY ", "0 0 * * *");
        nicknames.forEach((nickname, fields) -> assertThat(Cron.parse(nickname).next(at(NEW_YEAR), ZoneOffset.UTC, 20))
                .as(nickname)
                .isEqualTo(Cron.parse(fields).next(at(NEW_YEAR), ZoneOffset.UTC, 20)));
    }

    @Test
    void rareDatesAreFoundAtAnyDistance() {
        runs("0 0 29 2 *", "2028-02-29", "2032-02-29");
        // The year 2100 is not a leap year.
        assertThat(Cron.parse("0 0 29 2 *").next(at("2096-03-01T00:00"), ZoneOffset.UTC))
                .isEqualTo("2104-02-29T00:00:00Z");
        assertThat(Cron.parse("0 0 * 2 MON#5").next(at(NEW_YEAR), ZoneOffset.UTC, 3))
                .containsExactly(at("2044-02-29T00:00"), at("2072-02-29T00:00"), at("2112-02-29T00:00"));
        assertThat(Cron.parse("0 0 */28 2 MON#5").next(at("2072-03-01T00:00"), ZoneOffset.UTC))
                .isEqualTo("2112-02-29T00:00:00Z");
    }

    @Test
    void theNextRunIsStrictlyLater() {
        Cron hourly = Cron.parse("@hourly");
        assertThat(hourly.next(Instant.parse("2026-01-01T05:00:00Z"), ZoneOffset.UTC))
                .isEqualTo("2026-01-01T06:00:00Z");
        assertThat(hourly.next(Instant.parse("2026-01-01T04:59:59.999999999Z"), ZoneOffset.UTC))
                .isEqualTo("2026-01-01T05:00:00Z");
        assertThat(hourly.next(Instant.parse("2026-01-01T05:00:00.000000001Z"), ZoneOffset.UTC))
                .isEqualTo("2026-01-01T06:00:00Z");
        assertThat(hourly.next(Instant.parse("1960-12-31T23:59:59.5Z"), ZoneOffset.UTC))
                .isEqualTo("1961-01-01T00:00:00Z");
    }

    @Test
    void runsFollowTheClockOfTheZone() {
        Cron cron = Cron.parse("30 9 * * *");
        assertThat(cron.next(at(NEW_YEAR), ZoneId.of("Asia/Tokyo"))).isEqualTo("2026-01-01T00:30:00Z");
        assertThat(cron.next(at(NEW_YEAR), ZoneId.of("Asia/Kathmandu"))).isEqualTo("2026-01-01T03:45:00Z");
        assertThat(cron.next(at(NEW_YEAR), ZoneId.of("America/New_York"))).isEqualTo("2026-01-01T14:30:00Z");
        assertThat(cron.next(at(NEW_YEAR), ZoneOffset.ofHours(-18))).isEqualTo("2026-01-01T03:30:00Z");
    }

    @Test
    void timesAreAllowedFromYear1To9999() {
        Cron daily = Cron.parse("@daily");
        assertThat(daily.next(Instant.parse("0001-01-01T00:00:00Z"), ZoneOffset.MAX))
                .isEqualTo("0001-01-01T06:00:00Z");
        assertThat(Cron.parse("0 0 * 2 MON#5").next(Bounds.MAX_INSTANT, ZoneId.of("Europe/Berlin")))
                .isAfter(Bounds.MAX_INSTANT);
        for (Instant wrong : List.of(
                Instant.MIN, Instant.MAX, Bounds.MAX_INSTANT.plusNanos(1), Instant.parse("0000-12-31T23:59:59Z"))) {
            assertThatThrownBy(() -> daily.next(wrong, ZoneOffset.UTC))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage("cron run after %s is not allowed: 0001-01-01T00:00:00Z to 9999-12-31T00:00:00Z"
                            .formatted(wrong));
        }
    }

    @Test
    void aPreviewHasOneTo1000Runs() {
        Cron cron = Cron.parse("@hourly");
        List<Instant> runs = cron.next(at(NEW_YEAR), ZoneOffset.UTC, 1000);
        assertThat(runs).hasSize(1000).isSorted().doesNotHaveDuplicates();
        assertThat(runs.get(999)).isEqualTo("2026-02-11T16:00:00Z");
        for (int wrong : new int[] {0, -1, 1001}) {
            assertThatThrownBy(() -> cron.next(at(NEW_YEAR), ZoneOffset.UTC, wrong))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage("count of cron runs %d is not allowed: 1 to 1000".formatted(wrong));
        }
    }

    @Test
    void equalTextIsAnEqualExpression() {
        Cron cron = Cron.parse(" \t0  0\t* * mon-fri\n");
        assertThat(cron)
                .hasToString("0 0 * * MON-FRI")
                .isEqualTo(Cron.parse(cron.toString()))
                .hasSameHashCodeAs(Cron.parse(cron.toString()))
                .isNotEqualTo(Cron.parse("0 0 * * 1-5"));
        assertThat(Cron.parse("@Daily")).hasToString("@daily").isNotEqualTo(Cron.parse("0 0 * * *"));
    }

    @Test
    void anInvalidExpressionIsRefusedWithItsNumberOfFields() {
        String allowed =
                "allowed are five (minute, hour, day of month, month, day of week), six with seconds first, or one of "
                        + NICKNAMES;
        refused("", "has no fields: " + allowed);
        refused("*", "has 1 field: " + allowed);
        refused("* * * *", "has 4 fields: " + allowed);
        refused("0 0 0 1 1 ? 2026", "has 7 fields: " + allowed);
        refused("@reboot", "is not allowed: " + NICKNAMES);
        refused("@every 5m", "is not allowed: " + NICKNAMES);
        refused("@daily 5", "is not allowed: " + NICKNAMES);
        String character = "has the character U+%04X: allowed are letters, digits, * ? , - / # @ and spaces";
        refused("0 0 * *\n*", character.formatted((int) '\n'));
        // The capital of this letter is S.
        refused("0 0 * * \u017fUN", character.formatted(0x17f));
        assertThatThrownBy(() -> Cron.parse("*".repeat(501)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("cron expression '%s...' has 501 characters: allowed are 500".formatted("*".repeat(117)));
    }

    @Test
    void aWrongItemIsRefusedWithItsFieldAndTheAllowedValues() {
        refusedItems("%s * * * * *", "second", "0 to 59", "60", "-1", "JAN", "1.5");
        refusedItems(
                "%s * * * *",
                "minute",
                "0 to 59",
                "60",
                "-1",
                "00000",
                "99999999999",
                "A",
                "?",
                "L",
                "**",
                "*5",
                "*-5",
                "5-",
                "-",
                "5-60",
                "1-2-3",
                "1/2/3",
                "5#1",
                "H",
                "H/5",
                "~");
        refusedItems("0 %s * * *", "hour", "0 to 23", "24", "20-24", "?", "9AM", "5L");
        refusedItems(
                "0 0 %s * *",
                "day of month",
                "1 to 31, L, L-1 to L-30, 1W to 31W, LW, ?",
                "0",
                "32",
                "L-0",
                "L-31",
                "LL",
                "L-",
                "L/2",
                "0W",
                "32W",
                "W",
                "1-5W",
                "LW-1",
                "L-1W",
                "W15",
                "??",
                "?/2",
                "MON");
        refusedItems(
                "0 0 1 %s *", "month", "1 to 12, JAN to DEC", "0", "13", "JANUARY", "JA", "MON", "JAN-FOO", "?", "L");
        refusedItems(
                "0 0 * * %s",
                "day of week",
                "0 to 7, SUN to SAT, FRIL or 5L, FRI#1 to FRI#5, ?",
                "8",
                "-1",
                "MONDAY",
                "JAN",
                "L",
                "8L",
                "JULL",
                "5#0",
                "5#6",
                "FRI#",
                "#2",
                "8#1",
                "MON-FRI#2",
                "FRI#2/2",
                "1-5L",
                "FRI-",
                "5W");
    }

    @Test
    void anEmptyItemOfAListIsRefused() {
        refusedItem("%s * * * *", ",", "", "minute", "0 to 59");
        refusedItem("%s * * * *", "1,", "", "minute", "0 to 59");
        refusedItem("0 %s * * *", "1,,2", "", "hour", "0 to 23");
        refusedItem("0 0 1 JAN,13 *", "", "13", "month", "1 to 12, JAN to DEC");
        refusedItem("0 0 1,? * *", "", "?", "day of month", "1 to 31, L, L-1 to L-30, 1W to 31W, LW, ?");
    }

    @Test
    void aStepLongerThanItsFieldIsRefused() {
        refused("*/90 * * * *", "has the minute '*/90': allowed are steps of 1 to 60");
        refused("*/0 * * * *", "has the minute '*/0': allowed are steps of 1 to 60");
        refused("0 1-5/25 * * *", "has the hour '1-5/25': allowed are steps of 1 to 24");
        refused("0 0 */32 * *", "has the day of month '*/32': allowed are steps of 1 to 31");
        refused("0 0 1 */13 *", "has the month '*/13': allowed are steps of 1 to 12");
        refused("0 0 * * */8", "has the day of week '*/8': allowed are steps of 1 to 7");
        refused("*/61 * * * * *", "has the second '*/61': allowed are steps of 1 to 60");
    }

    @Test
    void anExpressionWithoutRunsIsRefused() {
        String never = "never runs: the months '%s' have no day with day of month '%s' and day of week '%s'";
        refused("0 0 30 2 *", never.formatted("2", "30", "*"));
        refused("0 0 31 feb,4,jun,9,11 ?", never.formatted("FEB,4,JUN,9,11", "31", "?"));
        refused("0 0 0 30-31 2 *", never.formatted("2", "30-31", "*"));
        refused("0 0 L-29 2 *", never.formatted("2", "L-29", "*"));
        refused("0 0 31W 4 *", never.formatted("4", "31W", "*"));
        // The first day of a month is the first of its weekday.
        refused("0 0 */31 2 MON#2", never.formatted("2", "*/31", "MON#2"));
        for (String rare : List.of("0 0 29 2 *", "0 0 L-28 2 *", "0 0 */28 2 MON#5", "0 0 30 2,3 *")) {
            assertThat(Cron.parse(rare).next(at(NEW_YEAR), ZoneOffset.UTC))
                    .as(rare)
                    .isAfter(at(NEW_YEAR));
        }
    }

    private static void refusedItems(String expression, String field, String allowed, String... items) {
        for (String item : items) {
            refusedItem(expression, item, item, field, allowed);
        }
    }

    private static void refusedItem(String expression, String value, String item, String field, String allowed) {
        refused(expression.formatted(value), "has the %s '%s': allowed are %s".formatted(field, item, allowed) + ALSO);
    }

    private static void refused(String expression, String why) {
        assertThatThrownBy(() -> Cron.parse(expression))
                .as(expression)
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("cron expression '%s' %s"
                        .formatted(expression.startsWith("@") ? expression : normal(expression, why), why));
    }

    /**
     * Returns the expression as its message shows it. An error about a character is reported before the text is
     * converted to capitals.
     */
    private static String normal(String expression, String why) {
        return why.contains("character") ? expression : expression.toUpperCase(Locale.ROOT);
    }

    /**
     * Checks the first runs in UTC after the beginning of 2026. An expected time without a year is in 2026; one without
     * a date is on 1 January.
     */
    private static void runs(String expression, String... expected) {
        List<LocalDateTime> runs = new ArrayList<>();
        for (Instant run : Cron.parse(expression).next(at(NEW_YEAR), ZoneOffset.UTC, expected.length)) {
            runs.add(LocalDateTime.ofInstant(run, ZoneOffset.UTC));
        }
        assertThat(runs)
                .as(expression)
                .isEqualTo(Arrays.stream(expected).map(CronTest::local).toList());
    }

    private static LocalDateTime local(String text) {
        String whole = text;
        if (!whole.contains("-")) {
            whole = "2026-01-01T" + whole;
        } else if (whole.indexOf('-') == 2) {
            whole = "2026-" + whole;
        }
        return LocalDateTime.parse(whole.contains("T") ? whole : whole + "T00:00");
    }

    private static Instant at(String local) {
        return LocalDateTime.parse(local).toInstant(ZoneOffset.UTC);
    }
}
