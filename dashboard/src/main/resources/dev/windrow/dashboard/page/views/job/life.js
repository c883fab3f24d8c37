/** The life of a job: a segment for each state that it had, and the states that come next. */
import { serverNow } from "../../app/api.js";
import { duration, exactTime, number, preciseClock, time, word } from "../../app/format.js";
import { html, useState } from "../../app/html.js";
import { ENDED, State, useNow } from "../../app/parts.js";
import { useSettings } from "../../app/settings.js";

const SEGMENTS_SHOWN = 14;
/** A shorter wait for a worker is not a segment of its own. */
const SHORTEST_WAIT_MILLIS = 50;

const ENDS = { SUCCEEDED: "COMPLETED", FAILED: "FAILED", CANCELLED: "CANCELLED" };

/** Returns the states of a job in order, as {state, label, from, to}. The last one has no end. */
function segments(job) {
    const marks = moves(job);
    const found = [];
    const begin = (at, state, label = word(state)) => {
        const last = found.at(-1);
        if (last) {
            last.to ??= at;
        }
        found.push({ state, label, from: at, to: null });
    };
    /** A job that was due before the next mark has waited for a worker since then. */
    const due = (at, nextAt) => {
        if (at && at < (nextAt ?? serverNow()) - SHORTEST_WAIT_MILLIS && at >= found.at(-1).from) {
            begin(at, "PENDING");
        }
    };
    marks.forEach((mark, i) => {
        const { at, event, detail } = mark;
        const next = marks[i + 1];
        const now = next ? null : job.state;
        const dueAt = detail?.due ? Date.parse(detail.due) : null;
        if (event === "ENQUEUED") {
            const firstDue = job.run === 1 && job.attempts.length < 2 ? Date.parse(job.scheduledAt) : null;
            if (next?.event === "RELEASED") {
                begin(at, job.dependsOn.length ? "BLOCKED" : "SCHEDULED");
            } else if (now && now !== "PENDING") {
                begin(at, now);
            } else if (firstDue > at + SHORTEST_WAIT_MILLIS) {
                begin(at, "SCHEDULED");
                due(firstDue, next?.at);
            } else {
                begin(at, "PENDING");
            }
        } else if (event === "CLAIMED") {
            begin(at, "RUNNING", "Claimed");
        } else if (event === "STARTED") {
            if (found.at(-1)?.state !== "RUNNING") {
                begin(at, "RUNNING");
            }
            const attempt = job.attempts.find((each) => Date.parse(each.startedAt) === at);
            found.at(-1).label = attempt ? "Attempt " + attempt.attempt : "Attempt";
        } else if (event === "RETRY_SCHEDULED") {
            begin(at, "SCHEDULED", "Retry wait");
            due(dueAt, next?.at);
        } else if (event === "SNOOZED") {
            const outcome = job.attempts.find((each) => Date.parse(each.finishedAt) === at)?.outcome;
            if (outcome === "PARKED") {
                begin(at, "BLOCKED", "Event wait");
            } else {
                begin(at, "SCHEDULED", "Snoozed");
                due(dueAt, next?.at);
            }
        } else if (event === "RETRIED") {
            begin(at, next?.event === "RELEASED" ? "BLOCKED" : (now ?? "PENDING"));
        } else if (event === "RELEASED" || event === "RECOVERED") {
            begin(at, now ?? "PENDING");
        } else {
            begin(at, ENDS[event]);
        }
    });
    return found.filter(({ from, to }) => to !== from);
}

/** The events that change the state. */
function moves(job) {
    const kinds = ["ENQUEUED", "CLAIMED", "STARTED", "RETRY_SCHEDULED", "SNOOZED", "RETRIED", "RELEASED", "RECOVERED", ...Object.keys(ENDS)];
    return job.events
        .filter((event) => kinds.includes(event.event))
        .map((event) => ({ ...event, at: Date.parse(event.at) }))
        .sort((a, b) => a.at - b.at);
}

/** The states after this one, as [state, when, more]. */
function coming(job) {
    const attempts = "at most " + (job.maxAttempts === 1 ? "1 attempt" : number(job.maxAttempts) + " attempts");
    if (job.waitingFor === "EVENT" && !job.steps.some((step) => step.kind === "EVENT" && step.state === "WAITING")) {
        return [["COMPLETED", "next", "when it is completed from outside"]];
    }
    if (job.state === "BLOCKED") {
        const open = job.dependsOn.filter((parent) => !ENDED.includes(parent.state)).length;
        const after =
            job.waitingFor === "EVENT"
                ? "when the event comes"
                : open === 1
                  ? "when its parent ends"
                  : open
                    ? "when its parents end"
                    : "when its parents allow it";
        return [
            ["PENDING", "next", after],
            ["RUNNING", "then", attempts],
        ];
    }
    if (job.state === "SCHEDULED") {
        return [["RUNNING", "next", job.scheduledAt]];
    }
    return job.state === "PENDING" ? [["RUNNING", "next", attempts]] : [];
}

export function Life({ job }) {
    const { zone } = useSettings();
    const [all, setAll] = useState(false);
    const found = segments(job);
    const now = useNow();
    const hidden = all ? 0 : Math.max(0, found.length - SEGMENTS_SHOWN);
    const next = coming(job);
    return html`<section class="card pad" aria-label="Life of the job">
        <ol class="life">
            ${found.map((segment, i) => {
                if (i > 0 && i <= hidden) {
                    return (
                        i === 1 &&
                        html`<li key="hidden">
                            <button class="btn slim" type="button" onClick=${() => setAll(true)}>${number(hidden)} more</button>
                        </li>`
                    );
                }
                return html`<${Segment} key=${i} segment=${segment} now=${now} zone=${zone} />`;
            })}
            ${next.map(
                ([state, when, more]) =>
                    html`<li key=${state + when} class="muted">
                        <${State} state=${state} /><br /><b>${when}</b><br /><span class="small"
                            >${more === job.scheduledAt ? "at " + time(more, zone) : more}</span
                        >
                    </li>`,
            )}
        </ol>
    </section>`;
}

function Segment({ segment, now, zone }) {
    const { state, label, from, to } = segment;
    const style = "t-" + state.toLowerCase();
    const ended = ENDED.includes(state);
    const length =
        to === null ? (ended ? duration(Math.max(1000, now - from)) + " ago" : duration(Math.max(0, now - from)) + " so far") : duration(to - from);
    const today = time(from, zone, now).includes(",") ? time(from, zone, now) : preciseClock(from, zone);
    return html`<li class=${style}>
        <${State} state=${state}>${label}<//><br /><b>${length}</b><br /><time
            class="muted small"
            datetime=${new Date(from).toISOString()}
            title=${exactTime(from)}
            >${today}</time
        >
    </li>`;
}
