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
 * A cron expression: which local times, by the clock on the wall, something runs at. Five fields as in crontab(5), minute, hour,
 * day of month, month, day of week, or six with seconds first; immutable, safe for use by many threads.
 *
 * <table>
 * <caption>What a field may hold</caption>
 * <tr><th>field</th><th>values</th></tr>
 * <tr><td>second (0 where there are five fields), minute</td><td>0 to 59</td></tr>
 * <tr><td>hour</td><td>0 to 23</td></tr>
 * <tr><td>day of month</td><td>1 to 31; {@code L} is the last day, {@code L-3} three days before it; {@code 15W} is the weekday
 *   (Monday to Friday) nearest to the 15th, {@code LW} the last one; nearest within the month, so {@code 1W} may be the 3rd. A
 *   month that has no such date has no run</td></tr>
 * <tr><td>month</td><td>1 to 12 or {@code JAN} to {@code DEC}</td></tr>
 * <tr><td>day of week</td><td>0 to 7 or {@code SUN} to {@code SAT}, where 0 and 7 are Sunday (and not 1, as in Quartz);
 *   {@code FRIL} or {@code 5L} is the last Friday of the month, {@code FRI#2} or {@code 5#2} the second</td></tr>
 * </table>
 *
 * <p>In each field {@code *} is every value, {@code 9-17} a range with both ends, {@code 22-2} and {@code FRI-MON} ranges that wrap
 * around, {@code 10-40/5} every fifth value of a range from its begin on, <code>*&#47;15</code> of all, {@code 5/10} of those from 5 to
 * the end of the field (Sunday, for days of the week), and {@code 1,15,20-22} a list of such items. In the day fields {@code ?} is
 * {@code *}. Case does not matter. A step that does not divide its field begins anew with it: <code>*&#47;7</code> in the minutes is 0, 7 to
 * 56, and then 0. In place of the fields there may be {@code @yearly}, {@code @annually}, {@code @monthly}, {@code @weekly},
 * {@code @daily}, {@code @midnight} or {@code @hourly}.
 *
 * <p><b>Both days.</b> When day of month and day of week are both restricted, a day fits that fits either, as in crontab(5):
 * {@code 0 0 13 * FRI} is every 13th and every Friday. A field counts as restricted, there as here, unless it begins with {@code *} (or is
 * {@code ?}), so <code>0 0 *&#47;2 * MON</code> is each Monday with an odd date.
 *
 * <p><b>When clocks change,</b> each local time that fits runs once, late rather than never, and never twice:
 *
 * <ul>
 *   <li>Local times that do not exist, since the clock is set forward over them, run at the first instant after the gap, and
 *       however many they are, together with what is due there anyway, that is one run. A daily run at 02:30 is at 03:00 on that day; on
 *       a day that a zone leaves out, such as Samoa's 30th of December 2011, it is at the next midnight.
 *   <li>Local times that come twice, since the clock is set back, run the first time. That goes for each expression, so
 *       <code>*&#47;15 * * * *</code> pauses during the hour that is repeated. Where a fixed interval matters more than the clock on the wall,
 *       take UTC as zone.
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
     * Reads an expression of at most 500 characters.
     *
     * @throws InvalidRequestException if it is none, or if no date ever fits it, as with {@code 0 0 30 2 *}; the message names the
     *     field, what it says and what it may
     */
    public static Cron parse(String text) {
        String normal = CronParser.normalised(text);
        return new Cron(normal, new CronParser(normal).fields());
    }

    /**
     * The first run strictly after an instant. It is a whole second, usually soon; of what fits rarely it may be up to 40 years
     * later, and so after the year 9999.
     *
     * @param after from the year 1 to the year 9999
     * @param zone whose clock on the wall counts, by the rules that this JVM knows of it
     * @throws InvalidRequestException if {@code after} is out of range
     */
    public Instant next(Instant after, ZoneId zone) {
        if (after.isBefore(EARLIEST) || after.isAfter(Bounds.MAX_INSTANT)) {
            throw new InvalidRequestException(
                    "cron run after %s is not allowed: %s to %s".formatted(after, EARLIEST, Bounds.MAX_INSTANT));
        }
        /*
         * Each local time maps to one instant (see instant), and a later local time never to an earlier instant: so the next run
         * is that of the first fitting local time whose instant is after the given one. Local times after the one of the given
         * instant are such, but in the second pass of an overlap, where those until its end ran in the first.
         */
        ZoneRules rules = zone.getRules();
        LocalDateTime now = LocalDateTime.ofEpochSecond(after.getEpochSecond(), 0, rules.getOffset(after));
        ZoneOffsetTransition change = rules.getTransition(now);
        boolean secondPass = change != null && change.isOverlap() && !after.isBefore(change.getInstant());
        LocalDateTime from = secondPass ? change.getDateTimeBefore() : now.plusSeconds(1);
        return instant(fields.firstFrom(from), rules);
    }

    /**
     * The next runs strictly after an instant, in order, for a preview.
     *
     * @param after from the year 1 to the year 9999, as must be all runs but the last
     * @param zone as for one
     * @param count how many, 1 to 1000
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
        // LocalDateTime.atZone would move a time in a gap by the gap's length: to 03:30, not to the first instant after
        // it.
        return change.isGap() ? change.getInstant() : local.toInstant(change.getOffsetBefore());
    }

    /** Whether both have the same text; {@code @daily} and {@code 0 0 * * *} do not, though they run at the same times. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Cron cron && text.equals(cron.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The expression as {@link #parse} reads it: as it was given, in capitals (but {@code @daily}), with single spaces. */
    @Override
    public String toString() {
        return text;
    }
}
