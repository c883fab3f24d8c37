package dev.windrow.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import dev.windrow.InvalidRequestException;
import dev.windrow.schedule.Cron;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

/**
 * Compares random cron expressions over ten years in several zones with Spring and cron-utils. The expressions are in the part of the language on
 * which each library agrees with Windrow by definition.
 *
 * <ul>
 *   <li>cron-utils as UNIX: five fields without letters except names. Both day fields are set if neither has a star. No {@code SUN-TUE}, because
 *       cron-utils reads Sunday as 7 there.
 *   <li>cron-utils as Quartz: six fields. Weekdays are given by name, because Quartz counts them from 1. One of the day fields is {@code ?}.
 *   <li>Spring: six fields. One of the day fields is {@code *}, because Spring requires both to match. No <code>*&#47;2</code> for days of the week,
 *       because the week begins with Monday there.
 *   <li>All: ranges that do not wrap around, and {@code W} from the 2nd to the 27th. At the ends of months Spring skips some dates (if the 2nd is a
 *       Sunday, {@code 1W} is not the 3rd), and cron-utils fails. Runs are before 2060, because cron-utils does not find a date that is 40 years
 *       away.
 *   <li>Days with a clock change, and the days around them, are excluded. Both libraries skip a run in the gap, and Spring runs twice in the overlap.
 * </ul>
 *
 * <p>The test prints its seed. {@code -Dwindrow.cron.seed=N} repeats the choices.
 */
class CronOracleTest {
    private static final List<String> MONTHS =
            List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
    private static final List<String> WEEKDAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");
    private static final List<ZoneId> ZONES = List.of(
            ZoneId.of("UTC"),
            ZoneId.of("Europe/Berlin"),
            ZoneId.of("America/New_York"),
            ZoneId.of("Australia/Lord_Howe"),
            ZoneId.of("America/Sao_Paulo"),
            ZoneId.of("Africa/Casablanca"),
            ZoneId.of("Asia/Kathmandu"));
    private static final long BEGIN = Instant.parse("2016-01-01T00:00:00Z").getEpochSecond();
    private static final long END = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond();
    private static final Instant LIMIT = Instant.parse("2060-01-01T00:00:00Z");
    private static final Duration AROUND = Duration.ofHours(36);

    private static final int EXPRESSIONS = 400;
    private static final int STARTS = 3;
    private static final int RUNS = 5;

    private SplittableRandom random = new SplittableRandom();

    /** The next run after a time, as a library computes it. */
    private interface Oracle {
        ZonedDateTime next(ZonedDateTime after);
    }

    @Test
    void runsEqualThoseOfCronUtilsByUnixRules() {
        CronParser parser = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));
        compare("cron-utils, UNIX", this::unix, text -> cronUtils(parser, text));
    }

    @Test
    void runsEqualThoseOfCronUtilsByQuartzRules() {
        CronParser parser = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.QUARTZ));
        compare("cron-utils, Quartz", this::quartz, text -> cronUtils(parser, text));
    }

    @Test
    void runsEqualThoseOfSpring() {
        compare("Spring", this::spring, text -> {
            CronExpression expression = CronExpression.parse(text);
            return after -> {
                ZonedDateTime next = expression.next(after);
                assertThat(next).as(text).isNotNull();
                return next;
            };
        });
    }

    private static Oracle cronUtils(CronParser parser, String text) {
        ExecutionTime times = ExecutionTime.forCron(parser.parse(text));
        return after -> times.nextExecution(after).orElseThrow();
    }

    private void compare(String library, Supplier<String> expressions, Function<String, Oracle> oracles) {
        long seed = Long.getLong("windrow.cron.seed", System.nanoTime());
        System.out.println("cron beside " + library + ": seed " + seed);
        int compared = 0;
        for (int i = 0; i < EXPRESSIONS; i++) {
            random = new SplittableRandom(seed + i);
            String text = expressions.get();
            Cron cron;
            try {
                cron = Cron.parse(text);
            } catch (InvalidRequestException e) {
                // The only reason there may be: theirs then look for a date until they give up.
                assertThat(e).as(text).hasMessageContaining("never runs");
                continue;
            }
            Oracle oracle = oracles.apply(text);
            ZoneId zone = ZONES.get(random.nextInt(ZONES.size()));
            for (int start = 0; start < STARTS; start++) {
                Instant after = Instant.ofEpochSecond(random.nextLong(BEGIN, END));
                for (int run = 0; run < RUNS; run++) {
                    Instant next = cron.next(after, zone);
                    if (next.isAfter(LIMIT)) {
                        break;
                    }
                    if (clocksKeep(zone, after) && clocksKeep(zone, next)) {
                        assertThat(oracle.next(after.atZone(zone)).toInstant())
                                .as("%s: %s in %s after %s (seed %d, case %d)", library, text, zone, after, seed, i)
                                .isEqualTo(next);
                        compared++;
                    }
                    after = next;
                }
            }
        }
        assertThat(compared).isGreaterThan(EXPRESSIONS * STARTS * RUNS * 3 / 4);
    }

    private static boolean clocksKeep(ZoneId zone, Instant time) {
        ZoneOffsetTransition change = zone.getRules().nextTransition(time.minus(AROUND));
        return change == null || change.getInstant().isAfter(time.plus(AROUND));
    }

    private String unix() {
        boolean dates = random.nextInt(3) == 0;
        boolean weekdays = random.nextInt(3) == 0;
        boolean both = dates && weekdays;
        return "%s %s %s %s %s"
                .formatted(
                        field(0, 59, List.of(), true),
                        starOr(field(0, 23, List.of(), true)),
                        dates ? field(1, 31, List.of(), !both) : "*",
                        starOr(field(1, 12, MONTHS, true)),
                        weekdays ? field(0, 6, WEEKDAYS, !both).replace("SUN-", "0-") : "*");
    }

    private String quartz() {
        boolean dates = random.nextBoolean();
        return "%s %s %s %s %s %s"
                .formatted(
                        field(0, 59, List.of(), true),
                        starOr(field(0, 59, List.of(), true)),
                        starOr(field(0, 23, List.of(), true)),
                        dates ? date() : "?",
                        starOr(field(1, 12, MONTHS, true)),
                        dates ? "?" : weekday(true));
    }

    private String spring() {
        boolean dates = random.nextBoolean();
        return "%s %s %s %s %s %s"
                .formatted(
                        field(0, 59, List.of(), true),
                        starOr(field(0, 59, List.of(), true)),
                        starOr(field(0, 23, List.of(), true)),
                        dates ? date() : "*",
                        starOr(field(1, 12, MONTHS, true)),
                        dates ? "?" : weekday(false));
    }

    private String date() {
        return switch (random.nextInt(6)) {
            case 0 -> "L";
            case 1 -> "L-" + random.nextInt(1, 28);
            case 2 -> "LW";
            case 3 -> random.nextInt(2, 28) + "W";
            default -> field(1, 31, List.of(), true);
        };
    }

    private String weekday(boolean namesAlone) {
        int day = random.nextInt(0, 7);
        String name = namesAlone || random.nextBoolean() ? WEEKDAYS.get(day) : Integer.toString(day);
        return switch (random.nextInt(4)) {
            case 0 -> name + "L";
            case 1 -> name + "#" + random.nextInt(1, 6);
            case 2 -> {
                int first = random.nextInt(0, 6);
                yield WEEKDAYS.get(first) + "-" + WEEKDAYS.get(random.nextInt(first + 1, 7));
            }
            default -> namesAlone ? name : field(0, 7, List.of(), false);
        };
    }

    private String starOr(String field) {
        return random.nextInt(3) == 0 ? "*" : field;
    }

    private String field(int min, int max, List<String> names, boolean stars) {
        List<String> items = new ArrayList<>();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            int first = random.nextInt(min, max);
            int step = random.nextInt(1, max - min);
            items.add(
                    switch (random.nextInt(stars ? 5 : 4)) {
                        case 0, 1 -> name(first, min, names);
                        case 2 -> name(first, min, names) + "-" + name(random.nextInt(first + 1, max + 1), min, names);
                        case 3 -> first + "-" + random.nextInt(first + 1, max + 1) + "/" + step;
                        default -> random.nextBoolean() ? "*/" + step : first + "/" + step;
                    });
        }
        return String.join(",", items);
    }

    private String name(int value, int min, List<String> names) {
        return value - min < names.size() && random.nextBoolean() ? names.get(value - min) : Integer.toString(value);
    }
}
