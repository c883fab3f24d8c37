/** Numbers, times and durations as people read them. */
import { settings } from "./settings.js";

const NUMBER = new Intl.NumberFormat("en");
const UNITS = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [1000, "s"],
];

export function number(value) {
    return NUMBER.format(value);
}

/** The text with a capital letter first. */
export function upper(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "1 job", "2 jobs" */
export function count(value, one, many = one + "s") {
    return number(value) + " " + (value === 1 ? one : many);
}

/** One place after the point. It is cut, not rounded, so that 9.97 is not 10.0 beside 10. */
function tenths(amount) {
    return (Math.floor(amount * 10) / 10).toFixed(1);
}

/** A duration in at most two units: 180 ms, 2.1 s, 42 min, 2 h 11 min. */
export function duration(millis) {
    if (millis === null || millis === undefined) {
        return "-";
    }
    if (millis < 1000) {
        return Math.round(millis) + " ms";
    }
    if (millis < 60_000) {
        return (millis < 10_000 ? tenths(millis / 1000) : Math.floor(millis / 1000)) + " s";
    }
    const i = UNITS.findIndex(([size]) => millis >= size);
    const [size, unit] = UNITS[i];
    const whole = Math.floor(millis / size);
    const [smaller, smallerUnit] = UNITS[i + 1];
    const rest = Math.floor((millis % size) / smaller);
    return rest > 0 && whole < 10 ? `${whole} ${unit} ${rest} ${smallerUnit}` : `${whole} ${unit}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function digits(value, length = 2) {
    return String(value).padStart(length, "0");
}

/** The parts of an instant in a zone. A list has hundreds of them, and Intl takes ten times as long. */
function parts(instant, zone) {
    const at = new Date(instant);
    return zone === "utc"
        ? {
              day: `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`,
              year: at.getUTCFullYear(),
              minute: digits(at.getUTCHours()) + ":" + digits(at.getUTCMinutes()),
              second: digits(at.getUTCSeconds()),
          }
        : {
              day: `${at.getDate()} ${MONTHS[at.getMonth()]}`,
              year: at.getFullYear(),
              minute: digits(at.getHours()) + ":" + digits(at.getMinutes()),
              second: digits(at.getSeconds()),
          };
}

/** The time of day of an instant: 18:57:40. */
function clock({ minute, second }) {
    return minute + ":" + second;
}

/** The time of day to the millisecond: 18:57:40.112. */
export function preciseClock(instant, zone = settings().zone) {
    return clock(parts(instant, zone)) + "." + digits(new Date(instant).getUTCMilliseconds(), 3);
}

export function minute(instant, zone = settings().zone) {
    return parts(instant, zone).minute;
}

/** The length of a text or a file: 312 bytes, 64 KiB, 10 MiB. */
export function bytes(length) {
    if (length < 1024) {
        return count(length, "byte");
    }
    const [size, unit] = length < 1024 * 1024 ? [1024, "KiB"] : [1024 * 1024, "MiB"];
    const amount = length / size;
    return (amount < 10 ? tenths(amount) : number(Math.floor(amount))) + " " + unit;
}

/** An instant: the time alone today, else with the day: 28 Nov, 02:30; with the year if it is another one. */
export function time(instant, zone = settings().zone, now = Date.now()) {
    const at = parts(instant, zone);
    const today = parts(now, zone);
    if (at.year !== today.year) {
        return `${at.day} ${at.year}, ${at.minute}`;
    }
    return at.day === today.day ? clock(at) : `${at.day}, ${at.minute}`;
}

const LOCAL_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The instant in both zones, for a tooltip. */
export function exactTime(instant) {
    const local = parts(instant, "local");
    return `${new Date(instant).toISOString()}; ${local.day} ${local.year}, ${clock(local)} ${LOCAL_ZONE}`;
}

/** "6 min ago", "in 4 min 10 s". What is past has no seconds beside minutes, so that lists are quiet. */
export function ago(instant, now = Date.now()) {
    const passed = now - new Date(instant).getTime();
    // The clock of the server is known to a second.
    if (passed < 60_000) {
        const seconds = Math.max(1, Math.floor(Math.abs(passed) / 1000));
        return passed > -1000 ? seconds + " s ago" : "in " + (seconds < 60 ? seconds + " s" : duration(-passed));
    }
    return duration(passed - (passed % 60_000)) + " ago";
}

/** "FAILED" as "Failed" */
export function word(state) {
    return state.charAt(0) + state.slice(1).toLowerCase().replaceAll("_", " ");
}
