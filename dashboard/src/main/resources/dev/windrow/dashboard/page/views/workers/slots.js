/** The slots of a worker as cells: what each runs and for how long. */
import { duration } from "../../app/format.js";
import { html } from "../../app/html.js";
import { to } from "../../app/route.js";

/** A worker may have 1000 slots. The page of one worker shows all that are busy. */
const MOST_BUSY = 96;
const MOST_FREE = 64;
const UNITS = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "m"],
    [0, "s"],
];

/** A job that runs less is not old, whatever its type usually needs. */
const LEAST_OLD_MILLIS = 10_000;

/** True if a job runs longer than 99 of 100 jobs of its type did in the last hour. */
export function isOld(job, usual, now) {
    const p99 = usual.get(job?.type);
    return Boolean(job?.startedAt && p99 !== undefined && p99 !== null && age(job, now) > Math.max(LEAST_OLD_MILLIS, p99));
}

function age(job, now) {
    return Math.max(0, now - new Date(job.startedAt).getTime());
}

/** At most three characters: 3s, 12m, 2h. */
function short(millis) {
    const [size, unit] = UNITS.find(([least]) => millis >= least);
    return Math.min(99, Math.floor(millis / (size || 1000))) + unit;
}

/** A stuck handler was given up: its slot has a new thread, and the old one is shown after the others. */
export function Slots({ worker, jobs, usual, stuck, now, all }) {
    const { id, slots, running } = worker;
    const free = Math.max(0, slots - running.length);
    const busy = all ? running : running.slice(0, MOST_BUSY);
    return html`<div class="slots" role="list" aria-label=${"Slots of " + id}>
        ${busy.map((number) => html`<div role="listitem" key=${number}><${Busy} id=${number} job=${jobs.get(number)} usual=${usual} now=${now} /></div>`)}
        ${
            busy.length < running.length &&
            html`<div role="listitem" class="wide"><a class="busy" href=${to(["workers", id])}>and ${running.length - busy.length} others</a></div>`
        }
        ${Array.from(
            { length: stuck },
            (_, i) =>
                html`<div role="listitem" key=${"stuck" + i}>
                    <span class="busy stuck" title="A handler that ignores its interrupt"
                        ><span aria-hidden="true">!</span><span class="off">stuck</span></span
                    >
                </div>`,
        )}
        ${Array.from(
            { length: Math.min(free, MOST_FREE) },
            (_, i) =>
                html`<div role="listitem" key=${"free" + i}>
                    <span><span class="off">free</span></span>
                </div>`,
        )}
    </div>`;
}

function Busy({ id, job, usual, now }) {
    const old = isOld(job, usual, now);
    const known = job?.startedAt;
    const name = `Job ${id}${job ? `, ${job.type}` : ""}${known ? `, runs for ${duration(age(job, now))}` : ""}${old ? ", longer than usual" : ""}`;
    return html`<a
        class=${old ? "busy old" : "busy"}
        href=${to(["jobs", id])}
        title=${name}
        aria-label=${`${known ? short(age(job, now)) : "runs"}: ${name}`}
        >${known ? short(age(job, now)) : "\u00b7"}</a
    >`;
}
