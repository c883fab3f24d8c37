/** The times of a schedule in words: "every 10 s", "at 02:30 each day, Europe/Berlin". */

const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const NTH = ["", "first", "second", "third", "fourth", "fifth"];
const UNITS = { ms: "ms", s: "s", m: "min", h: "h", d: "d" };
const ALIASES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
};

/** Most expressions name one to four times of a day. More are not easier to read than the expression. */
const MOST_TIMES = 4;

/** Returns when a schedule runs; for an expression without simple words the expression itself. */
export function when({ cron, zone, every }) {
    // "Z" is the name of UTC in Java.
    return every ? interval(every) : (cronWords(cron) ?? cron) + ", " + (!zone || zone === "Z" ? "UTC" : zone);
}

/** "1m30s" as "every 1 min 30 s" */
function interval(text) {
    const parts = [...text.matchAll(/(\d+)(ms|s|m|h|d)/g)].map(([, n, unit]) => n + " " + UNITS[unit]);
    return "every " + (parts.join(" ") || text);
}

/** Returns an expression in words, or null if they would be longer than the expression. */
export function cronWords(expression) {
    const text = expression.trim().toUpperCase();
    const fields = (ALIASES[text.toLowerCase()] ?? text).split(/\s+/);
    if (fields.length === 5) {
        fields.unshift("0");
    }
    if (fields.length !== 6) {
        return null;
    }
    const [second, minute, hour, date, month, weekday] = fields;
    const time = timeWords(second, minute, hour);
    const day = dayWords(date, weekday);
    const inMonths =
        month === "*"
            ? ""
            : list(
                  month,
                  MONTHS,
                  1,
                  MONTHS.map((name) => name.slice(0, 3).toUpperCase()),
              );
    if (time === null || day === null || inMonths === null) {
        return null;
    }
    const each = (inMonths ? day.replaceAll(" of each month", "") : day) || (time.startsWith("every") ? "" : "each day");
    return [time, each, inMonths && "in " + inMonths].filter(Boolean).join(" ");
}

/** The only local time of day of an expression, such as "02:30"; null if there are several. */
export function onlyTime(expression) {
    const match = /^at (\d\d:\d\d(?::\d\d)?) (?!and)/.exec(cronWords(expression ?? "") ?? "");
    return match?.[1] ?? null;
}

function timeWords(second, minute, hour) {
    if (hour === "*" && minute === "*") {
        return second === "*" ? "every second" : second === "0" ? "every minute" : stepWords(second, 60, "s");
    }
    const [seconds, minutes, hours] = [numbers(second), numbers(minute), numbers(hour)];
    if (seconds?.length !== 1) {
        return null;
    }
    if (minutes && hours) {
        const times = hours.flatMap((h) => minutes.map((m) => clock(h, m, seconds[0])));
        return times.length > MOST_TIMES ? null : "at " + joined(times);
    }
    if (seconds[0] !== 0) {
        return null;
    }
    if (hour === "*") {
        return minutes?.length === 1 ? hourly(minutes[0]) : stepWords(minute, 60, "min");
    }
    if (minutes?.length === 1 && minutes[0] === 0 && step(hour, 24)) {
        return stepWords(hour, 24, "h");
    }
    const range = /^(\d+)-(\d+)$/.exec(hour);
    if (!range || Number(range[1]) > Number(range[2])) {
        return null;
    }
    if (minutes?.length === 1) {
        return `every hour from ${clock(range[1], minutes[0])} to ${clock(range[2], minutes[0])}`;
    }
    const every = minute === "*" ? 1 : step(minute, 60);
    return every ? `every ${every === 1 ? "minute" : every + " min"} from ${clock(range[1], 0)} to ${clock(range[2], 60 - every)}` : null;
}

function hourly(minute) {
    return minute === 0 ? "every hour" : `every hour at minute ${minute}`;
}

/** The step of a field such as "*" + "/15", if it divides the whole. */
function step(field, whole) {
    const match = /^(?:\*|0)\/(\d+)$/.exec(field);
    const n = Number(match?.[1] ?? 0);
    return n > 0 && whole % n === 0 ? n : null;
}

function stepWords(field, whole, unit) {
    const n = step(field, whole);
    return n ? `every ${n} ${unit}` : null;
}

/** "" for each day; null if there are no simple words. */
function dayWords(date, weekday) {
    const anyDate = date === "*" || date === "?";
    const anyDay = weekday === "*" || weekday === "?";
    const dates = anyDate ? "" : dateWords(date);
    const days = anyDay ? "" : weekdayWords(weekday);
    if (dates === null || days === null) {
        return null;
    }
    // A day that fits one of the two fields fits.
    return dates && days ? `${dates} and ${days}` : dates || days;
}

function dateWords(field) {
    if (field === "L" || field === "LW") {
        return `on the last ${field === "L" ? "day" : "weekday"} of each month`;
    }
    const nearest = /^(\d+)W$/.exec(field);
    if (nearest) {
        return `on the weekday nearest to day ${nearest[1]} of each month`;
    }
    const days = numbers(field);
    return days ? `on day${days.length > 1 ? "s" : ""} ${joined(days)} of each month` : null;
}

function weekdayWords(field) {
    const names = DAYS.map((name) => name.slice(0, 3).toUpperCase());
    const special = /^(\w+?)(?:L|#(\d))$/.exec(field);
    if (special && !names.includes(field)) {
        const day = list(special[1], DAYS, 0, names);
        return day && `on the ${special[2] ? NTH[special[2]] : "last"} ${day} of each month`;
    }
    const days = list(field, DAYS, 0, names);
    return days && "on " + days;
}

/** Names of a list of values and ranges, such as "Monday to Friday and Sunday". */
function list(field, words, first, names) {
    const word = (text) => words[names.includes(text) ? names.indexOf(text) : /^\d+$/.test(text) ? Number(text) - first : -1];
    const parts = field.split(",").map((item) => {
        const ends = item.split("-").map(word);
        return ends.length > 2 || ends.includes(undefined) ? null : ends.join(" to ");
    });
    return parts.includes(null) ? null : joined(parts);
}

function numbers(field) {
    return /^\d+(,\d+)*$/.test(field) ? field.split(",").map(Number) : null;
}

function clock(hour, minute, second = 0) {
    return [hour, minute, ...(second ? [second] : [])].map((n) => String(n).padStart(2, "0")).join(":");
}

function joined(values) {
    return values.length < 2 ? values.join("") : values.slice(0, -1).join(", ") + " and " + values.at(-1);
}
