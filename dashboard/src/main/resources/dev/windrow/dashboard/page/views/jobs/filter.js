/** The filter of the jobs: as the address has it, as the search box shows it, and as the API takes it. */
import { time } from "../../app/format.js";
import { STATES } from "../../app/parts.js";
import { settings } from "../../app/settings.js";

/** The parts that a filter can have. The name is that of the API, the word that of the search box, and "suggest" the field of GET /suggest. */
export const QUALIFIERS = [
    { name: "state", word: "state", many: true, meaning: "failed, running, pending, ..." },
    { name: "queue", word: "queue", suggest: "queue", meaning: "jobs in a queue" },
    { name: "type", word: "type", suggest: "type", meaning: "jobs of a type" },
    { name: "errorCode", word: "code", suggest: "error-code", meaning: "the error code of the last failure, or PROCESS:*" },
    { name: "tag", word: "tag", many: true, suggest: "tag", meaning: "jobs with a tag" },
    { name: "createdAfter", word: "after", instant: true, meaning: "enqueued since: 18:30, 1h, 2026-11-24" },
    { name: "createdBefore", word: "before", instant: true, meaning: "enqueued before" },
    { name: "worker", word: "worker", suggest: "worker", meaning: "jobs that a worker runs now" },
    { name: "name", word: "name", meaning: "jobs with exactly this name" },
    { name: "concurrencyKey", word: "key", meaning: "jobs with a concurrency key" },
    { name: "dedupeKey", word: "dedupe", meaning: "jobs with a dedupe key" },
    { name: "payload", word: "payload", path: "$.", search: true, meaning: "a value in the payload: payload.$.order=7" },
    { name: "metadata", word: "metadata", path: "", search: true, meaning: "a value in the metadata: metadata.tenant=t-1" },
    { name: "workflow", word: "workflow", id: true, meaning: "jobs of a workflow" },
    { name: "chain", word: "chain", id: true, meaning: "jobs of a chain" },
    { name: "parent", word: "parent", id: true, meaning: "jobs that depend on a job" },
    { name: "priority", word: "priority", integer: true, meaning: "jobs with a priority" },
    { name: "finishedAfter", word: "finishedAfter", instant: true, meaning: "ended since" },
    { name: "finishedBefore", word: "finishedBefore", instant: true, meaning: "ended before" },
    { name: "scheduledAfter", word: "scheduledAfter", instant: true, meaning: "due since" },
    { name: "scheduledBefore", word: "scheduledBefore", instant: true, meaning: "due before" },
];

/** A search in payloads or metadata reads jobs one by one, so the API wants one of these beside it. */
const NARROWING = ["state", "type", "queue", "tag", "workflow", "chain", "parent"];

/** The address has this name in place of that of the API. */
const ADDRESS_NAMES = { errorCode: "code" };

const WORDS = QUALIFIERS.map(({ word }) => word).join("|");
const TOKEN = new RegExp(`^(${WORDS})([:.])(.*)$`, "s");
const BETWEEN = new RegExp(`\\s+(?=(?:${WORDS})[:.])`);
const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function qualifier(name) {
    return QUALIFIERS.find((one) => one.name === name);
}

/** Reads the filter of an address: a list of [name, value], in the order of the address; and what is wrong with times that are not in it. */
export function filterOf(query) {
    const filter = [];
    const problems = [];
    for (const [parameter, value] of query) {
        const found = QUALIFIERS.find(({ name }) => name === parameter || ADDRESS_NAMES[name] === parameter);
        if (found && value && (found.many || filter.every(([name]) => name !== found.name))) {
            try {
                filter.push([found.name, found.instant ? instantOf(value) : value]);
            } catch (problem) {
                problems.push(found.word + ": " + problem.message);
            }
        }
    }
    return { filter, problems };
}

/** Returns an instant of the API as it is, because it may have more digits than a date of JavaScript. */
function instantOf(text) {
    return text.endsWith("Z") && !Number.isNaN(Date.parse(text)) ? text : parseTime(text);
}

/** Returns the parameters of an address, by name. */
export function parameters(filter) {
    const found = {};
    for (const [name, value] of filter) {
        (found[ADDRESS_NAMES[name] ?? name] ??= []).push(value);
    }
    return found;
}

/** Returns the parameters of GET /jobs, by name. */
export function listed(filter) {
    const found = {};
    for (const [name, value] of filter) {
        (found[name] ??= []).push(value);
    }
    return found;
}

/** Returns the filter in the body of a change. A search in payloads or metadata is not part of it. */
export function changed(filter) {
    const found = {};
    for (const [name, value] of filter) {
        const { many, integer, search } = qualifier(name);
        if (many) {
            (found[name] ??= []).push(value);
        } else if (!search) {
            found[name] = integer ? Number(value) : value;
        }
    }
    return found;
}

export function isSearch(filter) {
    return filter.some(([name]) => qualifier(name).search);
}

/** True if the filter has a search, and nothing that makes it short enough. */
export function isTooWide(filter) {
    return isSearch(filter) && !filter.some(([name]) => NARROWING.includes(name));
}

/** Returns the filter with one more part. It replaces another value of the same name, unless a name may have several. */
export function withPart(filter, [name, value]) {
    const others = filter.filter((part) => part[0] !== name || (qualifier(name).many && part[1] !== value));
    // The API takes one search at a time.
    return [...(qualifier(name).search ? others.filter((part) => !qualifier(part[0]).search) : others), [name, value]];
}

/** Returns a part as the search box shows it: queue:mail, payload.$.order=7. */
export function shown([name, value]) {
    const { word, search, instant } = qualifier(name);
    return search ? word + "." + value : word + ":" + (name === "state" ? value.toLowerCase() : instant ? time(value) : value);
}

/** Reads what a person has typed: one or several parts. Values may have spaces. Throws an error that says what is wrong. */
export function parseParts(text) {
    return text.trim().split(BETWEEN).map(parsePart);
}

function parsePart(text) {
    const match = TOKEN.exec(text);
    if (!match) {
        throw new Error(`"${text}" is not a filter. Choose one from the list, or write for example queue:mail.`);
    }
    const { name, search, instant, id, integer } = QUALIFIERS.find(({ word }) => word === match[1]);
    const value = match[3].trim();
    if (!value) {
        throw new Error(`${match[1]} needs a value.`);
    }
    if (Boolean(search) !== (match[2] === ".")) {
        throw new Error(search ? `Write ${match[1]}.PATH=VALUE.` : `Write ${match[1]}:VALUE.`);
    }
    if (name === "state") {
        const state = STATES.find((one) => one.toLowerCase() === value.toLowerCase());
        if (!state) {
            throw new Error(`"${value}" is not a state: ${STATES.join(", ").toLowerCase()}.`);
        }
        return [name, state];
    }
    if (instant) {
        return [name, parseTime(value)];
    }
    if (name === "errorCode" && value.includes("*") && !/^[A-Z][A-Z0-9_]*:\*$/.test(value)) {
        throw new Error(`"${value}" is not an error code. An asterisk stands for all codes of a category: code:PROCESS:*.`);
    }
    if ((id && !/^\d{1,19}$/.test(value)) || (integer && !/^-?\d{1,5}$/.test(value))) {
        throw new Error(`"${value}" is not a number.`);
    }
    return [name, value];
}

/** Reads a time: 18:30 today, a day, a day with a time, an ISO instant, or how long ago: 30m, 1h, 7d. In the zone of the settings. */
export function parseTime(text, now = Date.now()) {
    const past = /^(\d{1,6})([smhd])$/.exec(text);
    if (past) {
        const at = new Date(now - past[1] * UNITS[past[2]]);
        if (!Number.isNaN(at.getTime())) {
            return at.toISOString();
        }
    }
    const utc = settings().zone === "utc";
    const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text);
    if (clock || text === "today" || text === "yesterday") {
        const at = new Date(now);
        const [hours, minutes, seconds] = clock ? [+clock[1], +clock[2], +(clock[3] ?? 0)] : [text === "today" ? 0 : -24, 0, 0];
        if (hours < 24 && minutes < 60 && seconds < 60) {
            at[utc ? "setUTCHours" : "setHours"](hours, minutes, seconds, 0);
            return at.toISOString();
        }
    }
    const day = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?(Z|[+-]\d{2}:\d{2})?$/i.exec(text);
    if (day) {
        const at = new Date(day[1] + "T" + (day[2] ?? "00:00") + (day[3]?.toUpperCase() ?? (utc ? "Z" : "")));
        if (!Number.isNaN(at.getTime())) {
            return at.toISOString();
        }
    }
    throw new Error(`"${text}" is not a time. Write 18:30, 2026-11-24, 2026-11-24T18:30 or 1h (an hour ago).`);
}
