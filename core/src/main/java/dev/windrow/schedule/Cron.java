package dev.windrow.schedule;

import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;

/**
 * A cron expression: the local times of a schedule. It has five fields as in crontab(5): minute, hour, day of month, month, day of week. A sixth
 * field for seconds may come first. Immutable, safe for use by many threads.
 *
 * <table>
 * <caption>The values of each field</caption>
 * <tr><th>field</th><th>values</th></tr>
 * <tr><td>second (0 if there are five fields), minute</td><td>0 to 59</td></tr>
 * <tr><td>hour</td><td>0 to 23</td></tr>
 * <tr><td>day of month</td><td>1 to 31; {@code L} is the last day, {@code L-3} three days before it; {@code 15W} is the weekday
 *   (Monday to Friday) nearest to the 15th, {@code LW} the last weekday. The nearest one is within the month, so {@code 1W} may be the 3rd.
 *   A month that has no such date has no run</td></tr>
 * <tr><td>month</td><td>1 to 12 or {@code JAN} to {@code DEC}</td></tr>
 * <tr><td>day of week</td><td>0 to 7 or {@code SUN} to {@code SAT}; 0 and 7 are Sunday (in Quartz, 1 is Sunday);
 *   {@code FRIL} or {@code 5L} is the last Friday of the month, {@code FRI#2} or {@code 5#2} the second</td></tr>
 * </table>
 *
 * <p>A field is one of these items, or a list of them, such as {@code 1,15,20-22}:
 *
 * <ul>
 *   <li>{@code *}: every value. In the day fields {@code ?} is the same.
 *   <li>{@code 9-17}: a range with both ends. {@code 22-2} and {@code FRI-MON} are ranges that wrap around.
 *   <li>{@code 10-40/5}: every fifth value of a range from its beginning on. <code>*&#47;15</code> steps through all values, and {@code 5/10}
 *       from 5 to the end of the field (Sunday, for days of the week).
 * </ul>
 *
 * <p>Case does not matter. Steps begin again at the beginning of the field: <code>*&#47;7</code> in the minutes is 0, 7 to 56, and then 0. Instead of
 * the fields the expression may be {@code @yearly}, {@code @annually}, {@code @monthly}, {@code @weekly}, {@code @daily}, {@code @midnight} or
 * {@code @hourly}.
 *
 * <p><b>Both days.</b> If day of month and day of week are both restricted, a day fits if either of them fits, as in crontab(5). So
 * {@code 0 0 13 * FRI} is every 13th and every Friday. As there, a field is restricted unless it begins with {@code *} (or is {@code ?}). So
 * <code>0 0 *&#47;2 * MON</code> is each Monday with an odd date.
 *
 * <p><b>When clocks change,</b> each local time that fits runs once: late rather than never, and never twice.
 *
 * <ul>
 *   <li>Local times that are skipped when the clock is set forward run at the first instant after the gap. All of them, and a run that is due
 *       then anyway, are one run. A daily run at 02:30 is at 03:00 on that day. If a zone skips a whole day, such as Samoa's 30th of
 *       December 2011, the run is at the next midnight.
 *   <li>Local times that come twice, because the clock is set back, run the first time. This holds for each expression, so
 *       <code>*&#47;15 * * * *</code> pauses during the repeated hour. If a fixed interval matters more than the local time, use UTC as the
 *       zone.
 * </ul>
 */
public final class Cron {
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final int MOST = 1000;

    private final String text;
    private final CronFields fields;

    private Cron(String text, CronFields fields) {
        this.text = text;
        this.fields = fields;
    }

    /**
     * Parses an expression of at most 500 characters.
     *
     * @throws InvalidRequestException if the text is no expression, or no date ever fits it, as with {@code 0 0 30 2 *}. The message has the field,
     *     its value and the allowed values
     */
    public static Cron parse(String text) {
        String normal = CronParser.normalised(text);
        return new Cron(normal, new CronParser(normal).fields());
    }

    /**
     * Returns the first run strictly after an instant. It is a whole second, usually soon. A run of a rare date may be up to 40 years later, and so
     * after the year 9999.
     *
     * @param after an instant from the year 1 to the year 9999
     * @param zone the zone of the local times, by the rules of this JVM
     * @throws InvalidRequestException if {@code after} is out of range
     */
    public Instant next(Instant after, ZoneId zone) {
        if (after.isBefore(EARLIEST) || after.isAfter(Bounds.MAX_INSTANT)) {
            throw new InvalidRequestException(
                    "cron run after %s is not allowed: %s to %s".formatted(after, EARLIEST, Bounds.MAX_INSTANT));
        }
        /*
         * Each local time maps to one instant (see instant), and a later local time never to an earlier instant. So the
         * next run is that of the first fitting local time whose instant is after the given one. All local times after
         * the local time of the given instant have such instants. The exception is the second pass of an overlap: its
         * local times ran in the first pass, until its end.
         */
        ZoneRules rules = zone.getRules();
        LocalDateTime now = LocalDateTime.ofEpochSecond(after.getEpochSecond(), 0, rules.getOffset(after));
        ZoneOffsetTransition change = rules.getTransition(now);
        boolean secondPass = change != null && change.isOverlap() && !after.isBefore(change.getInstant());
        LocalDateTime from = secondPass ? change.getDateTimeBefore() : now.plusSeconds(1);
        return instant(fields.firstFrom(from), rules);
    }

    /**
     * Returns the next runs strictly after an instant, in order, for a preview.
     *
     * @param after an instant from the year 1 to the year 9999. All runs but the last are in these years, too
     * @param zone the zone of the local times, by the rules of this JVM
     * @param count the number of runs, 1 to 1000
     * @throws InvalidRequestException if an argument is out of range
     */
    public List<Instant> next(Instant after, ZoneId zone, int count) {
        Bounds.range("count of cron runs", count, 1, MOST);
        List<Instant> runs = new ArrayList<>(count);
        Instant last = after;
        for (int i = 0; i < count; i++) {
            last = next(last, zone);
            runs.add(last);
        }
        return List.copyOf(runs);
    }

    private static Instant instant(LocalDateTime local, ZoneRules rules) {
        ZoneOffsetTransition change = rules.getTransition(local);
        if (change == null) {
            return local.toInstant(rules.getOffset(local));
        }
        // LocalDateTime.atZone would move a time in a gap by the length of the gap: to 03:30, not to the first instant
        // after it.
        return change.isGap() ? change.getInstant() : local.toInstant(change.getOffsetBefore());
    }

    /** True if both have the same text. {@code @daily} and {@code 0 0 * * *} are not equal, although they have the same runs. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Cron cron && text.equals(cron.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Returns the expression as {@link #parse} reads it: in capitals with single spaces, or in small letters if it begins with {@code @}. */
    @Override
    public String toString() {
        return text;
    }
}
