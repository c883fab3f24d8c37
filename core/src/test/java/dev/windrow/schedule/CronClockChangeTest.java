package dev.windrow.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * Runs on days with clock changes, computed by hand. All days are in the past, or follow rules that have been valid for
 * years.
 */
class CronClockChangeTest {
    /**
     * The zone changes at 01:00 UTC. 29 March 2026, 02:00 +01 is 03:00 +02; 25 October 2026, 03:00 +02 is 02:00 +01.
     */
    private static final String BERLIN = "Europe/Berlin";

    /**
     * The zone changes at 02:00. 8 March 2026, 02:00 -05 is 03:00 -04, 07:00 UTC; 1 November 2026, 02:00 -04 is 01:00
     * -05, 06:00 UTC.
     */
    private static final String NEW_YORK = "America/New_York";

    /**
     * The zone changes by half an hour. 5 April 2026, 02:00 +11 is 01:30 +10:30, 15:00 UTC of the 4th; 4 October 2026,
     * 02:00 is 02:30, 15:30 UTC of the 3rd.
     */
    private static final String LORD_HOWE = "Australia/Lord_Howe";

    /** The zone skipped a day. After 29 December 2011 in -10 came the 31st in +14, at 10:00 UTC of the 30th. */
    private static final String APIA = "Pacific/Apia";

    /**
     * The zone changes at midnight. 15 October 2017, 00:00 -03 is 01:00 -02, 03:00 UTC; 18 February 2018, 00:00 -02 is
     * 23:00 -03 of the 17th, 02:00 UTC.
     */
    private static final String SAO_PAULO = "America/Sao_Paulo";

    /**
     * The zone is an hour back in Ramadan. 10 March 2024, 03:00 +01 is 02:00 +00; 14 April 2024, 02:00 +00 is 03:00
     * +01; both at 02:00 UTC.
     */
    private static final String CASABLANCA = "Africa/Casablanca";

    @Test
    void aDailyRunInTheGapIsAtTheFirstInstantAfterIt() {
        runs(
                "30 2 * * *",
                BERLIN,
                "2026-03-28T00:00:00Z",
                "2026-03-28T01:30:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-30T00:30:00Z");
        runs("0 2 * * *", BERLIN, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
        runs("59 59 2 * * *", BERLIN, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:59:59Z");
        runs("30 2 * * *", NEW_YORK, "2026-03-07T12:00:00Z", "2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z");
        runs("15 2 * * *", LORD_HOWE, "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z");
        runs("30 2 14,15 4 *", CASABLANCA, "2024-04-13T12:00:00Z", "2024-04-14T02:00:00Z", "2024-04-15T01:30:00Z");
    }

    @Test
    void aRunOnceAYearInTheGapIsNotLost() {
        runs("30 2 29 3 *", BERLIN, "2026-01-01T00:00:00Z", "2026-03-29T01:00:00Z", "2027-03-29T00:30:00Z");
    }

    @Test
    void severalMissingTimesAreOneRun() {
        runs("0,10,30 2 * * *", BERLIN, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
        runs("* 2 * * *", BERLIN, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
        runs("5,20 2 * * *", LORD_HOWE, "2026-10-03T12:00:00Z", "2026-10-03T15:30:00Z", "2026-10-04T15:05:00Z");
    }

    @Test
    void missingTimesAndTheTimeAfterTheGapAreOneRun() {
        runs(
                "0 2,3 * * *",
                BERLIN,
                "2026-03-28T12:00:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-30T00:00:00Z",
                "2026-03-30T01:00:00Z");
        runs(
                "0 * * * *",
                BERLIN,
                "2026-03-28T23:30:00Z",
                "2026-03-29T00:00:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-29T02:00:00Z");
        runs(
                "*/15 * * * *",
                BERLIN,
                "2026-03-29T00:30:00Z",
                "2026-03-29T00:45:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-29T01:15:00Z");
        runs(
                "0,15,30,45 2 * * *",
                LORD_HOWE,
                "2026-10-03T12:00:00Z",
                "2026-10-03T15:30:00Z",
                "2026-10-03T15:45:00Z",
                "2026-10-04T15:00:00Z");
    }

    @Test
    void aTimeDueRightAfterTheGapRunsThen() {
        runs("0 3 * * *", BERLIN, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T01:00:00Z");
        runs("30 2 * * *", LORD_HOWE, "2026-10-03T12:00:00Z", "2026-10-03T15:30:00Z", "2026-10-04T15:30:00Z");
    }

    @Test
    void theRunAfterTheGapIsTheSameFromEveryTimeAroundIt() {
        runs("30 2 * * *", BERLIN, "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z");
        runs("30 2 * * *", BERLIN, "2026-03-29T00:59:59.999Z", "2026-03-29T01:00:00Z");
        runs("30 2 * * *", BERLIN, "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
        runs("30 2 * * *", BERLIN, "2026-03-29T01:00:00.001Z", "2026-03-30T00:30:00Z");
    }

    @Test
    void aDailyRunInTheOverlapIsTheFirstTime() {
        runs("30 2 * * *", BERLIN, "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
        runs("0 2 * * *", BERLIN, "2026-10-24T12:00:00Z", "2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z");
        runs("30 1 * * *", NEW_YORK, "2026-10-31T12:00:00Z", "2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z");
        runs("45 1 * * *", LORD_HOWE, "2026-04-04T12:00:00Z", "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z");
        runs("30 2 * * *", CASABLANCA, "2024-03-09T12:00:00Z", "2024-03-10T01:30:00Z", "2024-03-11T02:30:00Z");
    }

    @Test
    void theFirstTimeAfterTheOverlapIsNotInIt() {
        runs("0 3 * * *", BERLIN, "2026-10-24T12:00:00Z", "2026-10-25T02:00:00Z", "2026-10-26T02:00:00Z");
        runs("0 2 * * *", NEW_YORK, "2026-10-31T12:00:00Z", "2026-11-01T07:00:00Z", "2026-11-02T07:00:00Z");
    }

    @Test
    void frequentRunsPauseWhileTheOverlapIsRepeated() {
        runs(
                "*/15 * * * *",
                BERLIN,
                "2026-10-25T00:15:00Z",
                "2026-10-25T00:30:00Z",
                "2026-10-25T00:45:00Z",
                "2026-10-25T02:00:00Z",
                "2026-10-25T02:15:00Z");
        runs(
                "0 * * * *",
                BERLIN,
                "2026-10-24T22:30:00Z",
                "2026-10-24T23:00:00Z",
                "2026-10-25T00:00:00Z",
                "2026-10-25T02:00:00Z");
        runs("* * * * * *", BERLIN, "2026-10-25T00:59:58Z", "2026-10-25T00:59:59Z", "2026-10-25T02:00:00Z");
        runs("*/15 * * * *", LORD_HOWE, "2026-04-04T14:30:00Z", "2026-04-04T14:45:00Z", "2026-04-04T15:30:00Z");
    }

    @Test
    void theRunAfterTheOverlapIsTheSameFromEveryTimeInIt() {
        for (String time :
                new String[] {"00:45:00", "00:59:59.999", "01:00:00", "01:00:00.001", "01:20:00", "01:59:59.999"}) {
            runs("*/15 * * * *", BERLIN, "2026-10-25T" + time + "Z", "2026-10-25T02:00:00Z", "2026-10-25T02:15:00Z");
        }
        runs("30 2 * * *", BERLIN, "2026-10-25T00:29:59Z", "2026-10-25T00:30:00Z");
        runs("30 2 * * *", BERLIN, "2026-10-25T01:29:59Z", "2026-10-26T01:30:00Z");
        runs("*/15 * * * *", BERLIN, "2026-10-25T02:00:00Z", "2026-10-25T02:15:00Z");
    }

    @Test
    void clocksMayChangeAtMidnight() {
        runs("0 0 * * *", SAO_PAULO, "2017-10-14T12:00:00Z", "2017-10-15T03:00:00Z", "2017-10-16T02:00:00Z");
        runs("30 0 * * *", SAO_PAULO, "2017-10-14T12:00:00Z", "2017-10-15T03:00:00Z", "2017-10-16T02:30:00Z");
        runs("0 0,1 15 10 *", SAO_PAULO, "2017-10-14T12:00:00Z", "2017-10-15T03:00:00Z", "2018-10-15T03:00:00Z");
        runs("0 0 * * *", SAO_PAULO, "2018-02-17T12:00:00Z", "2018-02-18T03:00:00Z", "2018-02-19T03:00:00Z");
        runs("30 23 * * *", SAO_PAULO, "2018-02-17T12:00:00Z", "2018-02-18T01:30:00Z", "2018-02-19T02:30:00Z");
        // 29 March 2026, 00:00 +02 is 01:00 +03.
        runs("0 0 * * *", "Asia/Beirut", "2026-03-28T12:00:00Z", "2026-03-28T22:00:00Z", "2026-03-29T21:00:00Z");
    }

    @Test
    void aSkippedDayRunsAtTheNextMidnight() {
        runs(
                "0 12 * * *",
                APIA,
                "2011-12-29T00:00:00Z",
                "2011-12-29T22:00:00Z",
                "2011-12-30T10:00:00Z",
                "2011-12-30T22:00:00Z");
        runs(
                "0 0 * * *",
                APIA,
                "2011-12-29T00:00:00Z",
                "2011-12-29T10:00:00Z",
                "2011-12-30T10:00:00Z",
                "2011-12-31T10:00:00Z");
        runs(
                "* * * * *",
                APIA,
                "2011-12-30T09:58:00Z",
                "2011-12-30T09:59:00Z",
                "2011-12-30T10:00:00Z",
                "2011-12-30T10:01:00Z");
        runs("0 0 30 12 *", APIA, "2011-12-29T00:00:00Z", "2011-12-30T10:00:00Z", "2012-12-29T10:00:00Z");
        // The omitted day was the last Friday of its month.
        runs("0 8 * 12 FRIL", APIA, "2011-12-29T00:00:00Z", "2011-12-30T10:00:00Z", "2012-12-27T18:00:00Z");
    }

    @Test
    void aRepeatedDayRunsOnce() {
        // Alaska was sold and moved to the other side of the date line: 24 hours of +15:02:19 came again in -08:57:41.
        runs("0 12 * * *", "America/Juneau", "1867-10-18T00:00:00Z", "1867-10-18T20:57:41Z", "1867-10-20T20:57:41Z");
    }

    @Test
    void aZoneMayChangeItsOffsetPermanently() {
        // 5 May 2018, 23:30 +08:30 of the 4th is 00:00 +09.
        runs("45 23 * * *", "Asia/Pyongyang", "2018-05-04T00:00:00Z", "2018-05-04T15:00:00Z", "2018-05-05T14:45:00Z");
        // 15 August 2015, 00:00 +09 is 23:30 +08:30 of the 14th.
        runs("45 23 * * *", "Asia/Pyongyang", "2015-08-14T00:00:00Z", "2015-08-14T14:45:00Z", "2015-08-15T15:15:00Z");
        // 1 April 1893, 00:00 +00:53:28 is 00:06:32 +01.
        runs("0 0 * * *", BERLIN, "1893-03-31T00:00:00Z", "1893-03-31T23:06:32Z", "1893-04-01T23:00:00Z");
    }

    @Test
    void zonesWithoutChangesKeepTheirIntervals() {
        for (String zone : new String[] {"UTC", "Asia/Tokyo", "Asia/Kolkata", "+05:45", "America/Phoenix"}) {
            Instant last = null;
            for (Instant run :
                    Cron.parse("30 2 * * *").next(Instant.parse("2026-01-01T00:00:00Z"), ZoneId.of(zone), 800)) {
                if (last != null) {
                    assertThat(run).isEqualTo(last.plusSeconds(86_400));
                }
                last = run;
            }
        }
    }

    private static void runs(String expression, String zone, String after, String... expected) {
        assertThat(Cron.parse(expression).next(Instant.parse(after), ZoneId.of(zone), expected.length))
                .as("%s in %s after %s", expression, zone, after)
                .isEqualTo(Arrays.stream(expected).map(Instant::parse).toList());
    }
}
