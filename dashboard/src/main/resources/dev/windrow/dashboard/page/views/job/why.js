/** The reasons that a job does not run, with the change that helps; and its end. */
import { address, change, get } from "../../app/api.js";
import { toast } from "../../app/dialogs.js";
import { ago, count, number, upper, word } from "../../app/format.js";
import { html } from "../../app/html.js";
import { Bar, Card, Icon, State, STATES, Time, useNow } from "../../app/parts.js";
import { to } from "../../app/route.js";
import { targetOf } from "../queues/targets.js";

function jobLink(id) {
    return html`<a href=${to(["jobs", id])}>${id}</a>`;
}

function jobLinks(jobs) {
    return jobs.map((job, i) => html`${i > 0 && ", "}${jobLink(job.id)} (${word(job.state).toLowerCase()})`);
}

/** The queue, the type or the key of a reason: its kind in the address, its name, and a link to its jobs. */
function target(reason) {
    const { kind, name, word: one, filter } = targetOf(reason);
    const text = upper(one);
    return { kind, name, text, link: html`${text} <a href=${to("jobs", { ...filter, state: "PENDING" })}><bdi>${name}</bdi></a>` };
}

/** Each reason as {bad, icon, what, then, help}. A help is {permission, text, path, body, version or job, done} or {href, text}. */
const REASONS = {
    PAUSED: (reason) => {
        const { kind, name, text, link } = target(reason);
        return {
            icon: "pause",
            what: html`${link} is paused${reason.pauseReason && html`: <bdi>${reason.pauseReason}</bdi>`}`,
            then: html`By <bdi>${reason.pausedBy}</bdi>, <${Time} at=${reason.pausedAt} relative />.`,
            help: {
                permission: "control",
                method: "PUT",
                text: "Resume " + text.toLowerCase(),
                path: ["controls", kind, name],
                body: { paused: false },
                done: `${text} ${name} was resumed.`,
            },
        };
    },
    QUEUE_NOT_SERVED: ({ queue }) => ({
        what: html`No worker serves the queue <bdi>${queue}</bdi>`,
        then: html`Start a worker of this queue: <code>windrow work --queue ${queue}</code>`,
        help: { href: to("workers"), text: "Workers" },
    }),
    TYPE_NOT_HANDLED: ({ type, similar }) => ({
        what: html`No worker of its queue handles ${type}`,
        then: similar ? `A worker handles ${similar}, which differs only by case.` : "Start a worker that has a handler for this type.",
        help: { href: to("workers"), text: "Workers" },
    }),
    PRIORITY_NOT_TAKEN: ({ priority, minPriority }) => ({
        what: `No worker takes the priority ${priority}`,
        then: `The lowest priority that a worker takes is ${minPriority}.`,
        help: { href: to("workers"), text: "Workers" },
    }),
    LIMIT_REACHED: (reason) => ({
        icon: "queues",
        what: html`${target(reason).link} is full: ${number(reason.running)} of ${number(reason.maxRunning)} run`,
        then: "The job starts when one of them ends.",
        help: { href: to("queues"), text: "Limits" },
    }),
    RATE_REACHED: (reason) => ({
        icon: "queues",
        what: html`${target(reason).link} has used up its rate: ${reason.rate}`,
        then: html`The rate allows the next start <${Time} at=${reason.opensAt} relative />.`,
        help: { href: to("queues"), text: "Limits" },
    }),
    KEY_HELD: ({ key, maxRunning, holders }) => ({
        icon: "queues",
        what: html`Key <a href=${to("jobs", { concurrencyKey: key })}><bdi>${key}</bdi></a> has no free
            permit${maxRunning !== null && `: ${number(holders.length)} of ${number(maxRunning)} ${maxRunning === 1 ? "is" : "are"} held`}`,
        then: holders.length ? html`By ${jobLinks(holders)}.` : "A worker that grants permits admits the job.",
        help: { href: to("jobs", { concurrencyKey: key }), text: "Jobs of the key" },
    }),
    DUE: ({ at }, job) => ({
        icon: "scheduled",
        what: html`Due <${Time} at=${at} relative />`,
        then: html`At <${Time} at=${at} />. Trigger the job if it cannot wait.`,
        help: { permission: "operate", text: "Trigger", path: ["jobs", job.id, "trigger"], version: job.version, done: `Job ${job.id} is due now.` },
    }),
    WAITS_FOR_RETRY: ({ attempt, maxAttempts, at, errorCode }, job) => ({
        icon: "scheduled",
        what: html`Attempt ${number(attempt)} of ${number(maxAttempts)} is due <${Time} at=${at} relative />`,
        then: html`The last attempt failed with <a class="mono" href=${to("jobs", { errorCode })}>${errorCode}</a>.`,
        help: { permission: "operate", text: "Trigger", path: ["jobs", job.id, "trigger"], version: job.version, done: `Job ${job.id} is due now.` },
    }),
    WAITS_FOR_PARENTS: ({ open, parents }) => {
        const failed = parents.find((parent) => parent.state === "FAILED" || parent.state === "CANCELLED");
        const complete = (job) => job.dependsOn.filter((parent) => parent.state === "COMPLETED").length;
        return {
            bad: Boolean(failed),
            icon: "blocked",
            what: failed
                ? html`Parent ${jobLink(failed.id)} ${failed.state === "FAILED" ? "failed" : "was cancelled"}, and this job waits for it to succeed`
                : html`Waits for ${count(open, "parent")}`,
            then: (job) =>
                failed
                    ? `${complete(job)} of ${count(job.dependsOn.length, "parent")} ${complete(job) === 1 ? "is" : "are"} complete. Retry the parent, or cancel this job.`
                    : html`${jobLinks(parents)}${open > parents.length && ` and ${number(open - parents.length)} more`}.`,
            help: failed && {
                permission: "operate",
                text: "Retry parent",
                path: ["jobs", failed.id, "retry"],
                job: failed,
                done: `Job ${failed.id} was retried.`,
                main: true,
            },
        };
    },
    WAITS_FOR_EVENT: ({ event, until }) => ({
        icon: "blocked",
        what: event === null ? "Waits for its completion from outside" : html`Waits for the event <bdi class="mono">${event}</bdi>`,
        then: html`Until <${Time} at=${until} />, <${Time} at=${until} relative />.`,
    }),
    READY: ({ before }, job) => ({
        icon: "pending",
        what:
            before === 0
                ? "Ready. It is the next job of its queue"
                : `Ready. ${before < 10_000 ? count(before, "job") : "10,000 or more jobs"} of its queue come first`,
        then: "A worker with a free slot takes it.",
        help: before > 0 && { href: to("jobs", { queue: job.queue, state: "PENDING" }), text: "Ready jobs" },
    }),
    RUNNING: ({ worker, since, heartbeatAt, leaseUntil, progress }) => ({
        icon: "running",
        bad: progress === "STUCK" || progress === "DEAD",
        what: {
            CLAIMED: html`Worker <bdi>${worker}</bdi> has claimed the job, and starts it in its next free slot`,
            STARTED: html`Runs on worker <bdi>${worker}</bdi>`,
            STUCK: html`Stuck on worker <bdi>${worker}</bdi>: its handler ignores the interrupt`,
            DEAD: html`Worker <bdi>${worker}</bdi> stopped without handing back the job`,
        }[progress],
        then: html`Since <${Time} at=${since} />. Last heartbeat <${Time} at=${heartbeatAt} relative />.
            ${" "}${
                progress === "DEAD"
                    ? html`Another worker takes the job over after <${Time} at=${leaseUntil} />.`
                    : progress === "STUCK"
                      ? "A thread dump of the process shows where it hangs."
                      : html`The lease ends <${Time} at=${leaseUntil} relative />.`
            }`,
        help: { href: to("workers"), text: "Workers" },
    }),
};

export function Why({ job, explanation, about, reload }) {
    const reasons = explanation.reasons.filter((reason) => reason.reason !== "ENDED");
    if (reasons.length === 0) {
        return null;
    }
    return html`<${Card} title=${explanation.state === "RUNNING" ? "What it is doing" : "Why it does not run"}>
        <ul class="rows">
            ${reasons.map((reason, i) => html`<${Reason} key=${i} reason=${reason} job=${job} about=${about} reload=${reload} />`)}
        </ul>
    <//>`;
}

/** The icon of a state has the colour of the state. The other icons are warnings. */
function isState(icon) {
    return STATES.includes(icon.toUpperCase());
}

/** Returns the version of another job, if it is still in the state that the person sees. */
async function versionOf({ id, state }) {
    const now = await get(address(["jobs", id]));
    if (now.state !== state) {
        throw new Error(`Job ${id} was not changed: it is ${word(now.state).toLowerCase()} now.`);
    }
    return now.version;
}

function Reason({ reason, job, about, reload }) {
    const { bad, icon = "warnsign", what, then, help } = REASONS[reason.reason]?.(reason, job) ?? { what: reason.text };
    const run = async () => {
        try {
            const version = help.job ? await versionOf(help.job) : help.version;
            await change(help.method ?? "POST", address(help.path), help.body ?? {}, version);
            toast(help.done);
        } catch (problem) {
            toast(problem.message, { error: true });
        }
        reload();
    };
    return html`<li>
        <span class=${bad ? "bad" : isState(icon) ? "s-" + icon : "warn"}><${Icon} name=${bad ? "failures" : icon} /></span>
        <div class="grow wrap">
            <b>${what}</b>
            <p class="muted">${typeof then === "function" ? then(job) : then}</p>
        </div>
        <div class="row acts-s">
            ${help?.href && html`<a class="btn slim" href=${help.href}>${help.text}</a>`}
            ${
                help?.path &&
                about.permissions.includes(help.permission) &&
                html`<button class=${help.main ? "btn slim main-act" : "btn slim"} type="button" onClick=${run}>${help.text}</button>`
            }
        </div>
    </li>`;
}

/** The end of a failed or cancelled job. */
export function Banner({ job, failures }) {
    const now = useNow(job.state === "CANCELLED");
    if (job.state === "FAILED") {
        const code = failures.find((failure) => failure.errorCode === job.errorCode);
        const ended = job.events.findLast((event) => event.event === "FAILED");
        const last = job.attempts.at(-1)?.outcome;
        const outside = ["FAILED", "TIMEOUT", "RECOVERED"].includes(last) ? null : ended?.actor;
        return html`<div class="banner bad">
            <${Icon} name="failures" />
            <div class="grow wrap">
                <b
                    >Failed ${outside ? html`by <bdi>${outside}</bdi>` : html`after ${number(job.attempt)} of ${count(job.maxAttempts, "attempt")}`}
                    ${job.errorCode && html`${" with "}<span class="mono">${job.errorCode}</span>`}</b
                >
                ${job.errorDetail && html`<p><bdi>${job.errorDetail}</bdi></p>`}
                ${
                    code &&
                    html`<p>
                        <a href=${to("jobs", { state: "FAILED", errorCode: job.errorCode })}
                            >${count(code.count, "failed job")} ${code.count === 1 ? "has" : "have"} this code.</a
                        >
                    </p>`
                }
            </div>
        </div>`;
    }
    if (job.state === "CANCELLED") {
        const since = job.events.slice(job.events.findLastIndex(({ event }) => event === "RETRIED") + 1);
        const find = (kind) => since.findLast(({ event }) => event === kind);
        const event = find("CANCEL_REQUESTED") ?? find("CANCELLED");
        const parent = event?.detail?.parent;
        return html`<div class="banner">
            <${Icon} name="cancelled" />
            <div class="grow wrap">
                <b
                    >Cancelled${" "}
                    ${parent ? html`because parent ${jobLink(String(parent))} did not succeed` : html`by <bdi>${event?.actor ?? "-"}</bdi>`}</b
                >
                <p class="muted">${event?.detail?.reason && html`<bdi>${event.detail.reason}</bdi>, `}${ago(job.finishedAt, now)}</p>
            </div>
        </div>`;
    }
    return job.progress && job.state === "RUNNING" ? html`<${Progress} progress=${job.progress} />` : null;
}

function Progress({ progress }) {
    const fraction = progress.fraction === null ? null : Number(String(progress.fraction));
    return html`<div class="banner">
        <${State} state="RUNNING" />
        <div class="grow wrap">
            ${fraction !== null && html`<${Bar} percent=${fraction * 100} css="running" label=${Math.floor(fraction * 100) + " % done"} />`}
            <p>
                ${fraction !== null && html`<b>${Math.floor(fraction * 100)} %</b> `}<bdi>${progress.message}</bdi>
                <small class="muted"> <${Time} at=${progress.at} relative /></small>
            </p>
        </div>
    </div>`;
}
