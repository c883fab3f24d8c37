/** Runs in the zone of their schedule, and what a change of its clocks means for them. */
import { duration } from "../../app/format.js";
import { onlyTime } from "./words.js";

const HOUR = 3_600_000;
/** Runs that are further apart run once a day or less often. */
const DAILY = 20 * HOUR;
/** No zone repeats more than this when its clocks go back. */
const LONGEST_OVERLAP = 3 * HOUR;

const formats = new Map();

/** Returns the format of a zone; null if the browser does not know the zone. */
function format(zone) {
    if (!formats.has(zone)) {
        formats.set(zone, make(zone));
    }
    return formats.get(zone);
}

function make(zone) {
    try {
        return new Intl.DateTimeFormat("en-GB", {
            timeZone: zone,
            weekday: "short",
            day: "numeric",
            month: "short",
            year: "numeric",
            hour: "2-digit",
            minute: "2-digit",
            second: "2-digit",
            hourCycle: "h23",
        });
    } catch {
        return null;
    }
}

function parts(at, zone) {
    return Object.fromEntries(
        format(zone)
            .formatToParts(at)
            .map(({ type, value }) => [type, value]),
    );
}

function clock({ hour, minute, second }) {
    return `${hour}:${minute}${second === "00" ? "" : ":" + second}`;
}

/** Returns the local day and time of a run: Sat 28 Nov 2026, 02:30. In UTC if the browser does not know the zone. */
export function localTime(at, zone) {
    const local = parts(at, format(zone) ? zone : "UTC");
    return `${local.weekday} ${local.day} ${local.month} ${local.year}, ${clock(local)}`;
}

/** Returns the time in UTC, with the day if it is another one than in the zone. */
export function utcTime(at, zone) {
    const utc = parts(at, "UTC");
    const same = format(zone) && parts(at, zone).day === utc.day;
    return (same ? "" : `${utc.day} ${utc.month}, `) + clock(utc);
}

export function isKnown(zone) {
    return format(zone) !== null;
}

/** The local time minus UTC, in milliseconds. */
function offset(at, zone) {
    const { day, month, year, hour, minute, second } = parts(at, zone);
    return Date.parse(`${day} ${month} ${year} ${hour}:${minute}:${second} UTC`) - Math.floor(at / 1000) * 1000;
}

/**
 * Returns a note for each run that a change of the clocks concerns, else null. A skipped local time runs at the first instant after the gap, and a
 * repeated one the first time.
 *
 * @param runs times in ISO-8601, in order
 */
export function clockNotes(runs, cron, zone) {
    if (!cron || !format(zone)) {
        return runs.map(() => null);
    }
    const times = runs.map((run) => Date.parse(run));
    return times.map((at, i) => {
        const before = i > 0 ? times[i - 1] : Math.min(Date.now(), at - 1000);
        return note(at, before, cron, zone);
    });
}

function note(at, before, cron, zone) {
    const here = offset(at, zone);
    const time = clock(parts(at, zone));
    const gap = here - offset(at - 1000, zone);
    if (gap > 0) {
        const only = onlyTime(cron);
        if (only === time) {
            return `Clocks go forward to ${time}.`;
        }
        return only
            ? `${only} does not exist: clocks go forward. The job runs at ${time}.`
            : `Clocks go forward to ${time}. This run also replaces the skipped ones.`;
    }
    const back = here - offset(at + LONGEST_OVERLAP, zone);
    if (back > 0 && offset(at + back, zone) === here - back) {
        return `${time} comes twice: clocks go back. The job runs the first time.`;
    }
    const daily = at - before > DAILY;
    // For a daily run, one at the end of a gap is the last one before the change.
    const change = here - offset(daily ? before - 1000 : before, zone);
    if (change === 0) {
        return null;
    }
    if (daily) {
        return change > 0 ? `Clocks went forward: ${duration(change)} earlier in UTC.` : `Clocks went back: ${duration(-change)} later in UTC.`;
    }
    return change > 0 ? "Clocks went forward before this run." : "Clocks went back before this run. The repeated time has no run.";
}
