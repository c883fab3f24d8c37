/** The facts of a job, in one list. */
import { count, duration, number } from "../../app/format.js";
import { html } from "../../app/html.js";
import { breakable, Card, Copy, Icon, State, Time, useNow } from "../../app/parts.js";
import { to } from "../../app/route.js";

const FAMILY_SHOWN = 5;

export function Details({ job, about }) {
    const now = useNow(job.state === "RUNNING" || job.state === "PENDING");
    const enqueued = job.events.find((event) => event.event === "ENQUEUED");
    const started = job.attempts.filter((attempt) => attempt.startedAt);
    const ran = started.reduce(
        (sum, attempt) => sum + Math.max(0, (attempt.finishedAt ? Date.parse(attempt.finishedAt) : now) - Date.parse(attempt.startedAt)),
        0,
    );
    const waited = started.length === 1 && job.run === 1 ? Date.parse(started[0].startedAt) - Date.parse(job.scheduledAt) : null;
    const facts = [
        ["Queue", html`<a href=${to("jobs", { queue: job.queue })}><bdi>${job.queue}</bdi></a>`],
        ["Priority", html`<a href=${to("jobs", { queue: job.queue, priority: job.priority })}>${number(job.priority)}</a>`],
        ["Created", html`<${Time} at=${job.createdAt} />, <${Time} at=${job.createdAt} relative />`],
        enqueued && ["Enqueued by", html`<bdi>${enqueued.actor}</bdi>`],
        enqueued?.detail?.schedule && [
            "Schedule",
            html`<a href=${to("schedules", { name: enqueued.detail.schedule })}><bdi>${enqueued.detail.schedule}</bdi></a>`,
        ],
        !job.finishedAt && ["Due", html`<${Time} at=${job.scheduledAt} />`],
        waited !== null && waited >= 0 && ["Waited", `${duration(waited)} before attempt\u00a01`],
        started.length > 0 && ["Ran", `${duration(ran)} in ${count(started.length, started.length > job.attempt ? "call" : "attempt")}`],
        job.finishedAt && ["Ended", html`<${Time} at=${job.finishedAt} />`],
        ["Attempts", `at most ${number(job.maxAttempts)}`],
        job.retryPolicy && ["Retries", html`<span class="mono">${breakable(job.retryPolicy)}</span>`],
        job.timeout && ["Time limit", `${job.timeout} for each attempt`],
        job.external && ["Completed", `from outside, within ${job.external}`],
        job.worker && ["Worker", html`<a href=${to("jobs", { worker: job.worker, state: "RUNNING" })}><bdi>${job.worker}</bdi></a>`],
        job.tags.length > 0 && ["Tags", job.tags.map((tag, i) => html`${i > 0 && ", "}<a href=${to("jobs", { tag })}><bdi>${tag}</bdi></a>`)],
        job.dedupeKey && ["Dedupe key", html`<a class="mono" href=${to("jobs", { dedupeKey: job.dedupeKey })}><bdi>${job.dedupeKey}</bdi></a>`],
        job.concurrencyKey && [
            "Key",
            html`<a class="mono" href=${to("jobs", { concurrencyKey: job.concurrencyKey })}><bdi>${job.concurrencyKey}</bdi></a
                >${permits(job)}`,
        ],
        job.dependsOn.length > 0 && job.state !== "BLOCKED" && ["Parents", html`<${Jobs} jobs=${job.dependsOn} />`],
        job.workflow && ["Workflow", html`<a href=${to(["workflows", job.workflow])}>${job.workflow}</a>`],
        job.chainIndex > 0 && [
            "Chain",
            html`<a href=${to("jobs", { chain: job.chainId })}>job ${number(job.chainIndex + 1)} of chain ${job.chainId}</a>`,
        ],
        job.traceparent && ["Trace", html`<${TraceLink} job=${job} about=${about} plain />`],
        ["Version", job.version],
        ["Audit", html`<a href=${to("audit", { job: job.id })}>changes by operators</a>`],
    ];
    return html`<${Card} title="Details">
        <div class="pad">
            <dl class="facts">
                ${facts.filter(Boolean).map(
                    ([name, value]) =>
                        html`<dt>${name}</dt>
                            <dd>${value}</dd>`,
                )}
            </dl>
        </div>
    <//>`;
}

function permits({ sequenceKey, concurrencyLimit }) {
    return sequenceKey ? ", one after the other" : concurrencyLimit && `, at most ${number(concurrencyLimit)} at once`;
}

function Jobs({ jobs }) {
    const one = (job) => html`<div key=${job.id} class="row"><a href=${to(["jobs", job.id])}>${job.id}</a><${State} state=${job.state} /></div>`;
    const more = jobs.slice(FAMILY_SHOWN);
    return html`${jobs.slice(0, FAMILY_SHOWN).map(one)}
    ${
        more.length > 0 &&
        html`<details>
            <summary>and ${number(more.length)} more</summary>
            ${more.map(one)}
        </details>`
    }`;
}

/** A link to the trace of a job, in the system that keeps traces; without one, its id. */
export function TraceLink({ job, about, plain }) {
    const trace = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(job.traceparent ?? "")?.[1];
    if (!trace) {
        return null;
    }
    const href = about.traceLink?.replace("{traceId}", trace);
    if (href && /^https?:/.test(href)) {
        return html`<a class=${plain ? "mono" : "btn slim"} href=${href}>${!plain && html`<${Icon} name="link" />Trace `}${trace.slice(0, 8)}</a>`;
    }
    return plain ? html`<span class="mono">${trace}</span> <${Copy} text=${trace} />` : null;
}
