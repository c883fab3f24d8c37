/** Queues, types and keys with all that the overview has about each. */

const NOTHING = { BLOCKED: 0, SCHEDULED: 0, PENDING: 0, RUNNING: 0, COMPLETED: 0, FAILED: 0, CANCELLED: 0 };

/** The field that names a target of this kind in limits, and in the filter of jobs. */
const FIELDS = { queues: ["queue", "queue"], types: ["type", "type"], keys: ["key", "concurrencyKey"] };

/** "queue mail", "type mail.send", "key tenant-42" */
export function named({ kind, name }) {
    return FIELDS[kind][0] + " " + name;
}

/** Returns the target of limits, or of a reason of a job: its kind, its name, the word for its kind, and the filter of its jobs. */
export function targetOf(limits) {
    const [kind, [word, filter]] = Object.entries(FIELDS).find(([, [field]]) => limits[field]);
    const name = limits[word];
    return { kind, name, word, filter: { [filter]: name } };
}

/** Returns a target that the overview does not know: without jobs and limits. */
export function target(kind, name) {
    return { kind, name, limits: null, states: NOTHING, filter: { [FIELDS[kind][1]]: name }, full: false, unattended: false };
}

/**
 * Returns the lists queues and types. A target with limits is listed also if it has no jobs. Those with ready jobs come first.
 *
 * @param ended the answer of GET /throughput
 */
export function targets({ queues = [], types = [], limits = [], unserved = [], unhandled = [] }, ended) {
    const all = { queues: new Map(), types: new Map() };
    const add = (kind, name, more) => all[kind].set(name, { ...(all[kind].get(name) ?? target(kind, name)), ...more });
    queues.forEach(({ queue, states, lagMillis }) => add("queues", queue, { states, lagMillis }));
    types.forEach(({ type, states }) => add("types", type, { states }));
    unserved.forEach(({ queue }) => add("queues", queue, { unattended: true }));
    unhandled.forEach(({ type, similar }) => add("types", type, { unattended: true, similar }));
    ended?.throughput.types.forEach(({ type, minutes }) => {
        if (all.types.has(type)) {
            add("types", type, { minutes: minutes.map(({ succeeded, failed }) => succeeded + failed) });
        }
    });
    for (const one of limits) {
        const { kind, name } = targetOf(one);
        if (kind !== "keys") {
            add(kind, name, { limits: one });
        }
    }
    return {
        queues: [...all.queues.values()].map(withFull),
        types: [...all.types.values()].map(withFull).sort((a, b) => rank(b) - rank(a) || (a.name < b.name ? -1 : 1)),
    };
}

/** A target is full if jobs wait only because of its limit. */
function withFull(one) {
    const max = one.limits?.maxRunning ?? null;
    return { ...one, full: max !== null && one.states.RUNNING >= max && one.states.PENDING > 0 };
}

function rank({ limits, states }) {
    return (limits ? 2 : 0) + (states.PENDING + states.RUNNING > 0 ? 1 : 0);
}
