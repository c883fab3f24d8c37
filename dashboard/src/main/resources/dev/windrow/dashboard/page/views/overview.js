/** The overview: problems first, then states, throughput and times, failures, queues, running jobs, workers. */
import { address, change } from "../app/api.js";
import { Bars, Durations } from "../app/charts.js";
import { toast } from "../app/dialogs.js";
import { count, duration, number, upper } from "../app/format.js";
import { html, useState } from "../app/html.js";
import { Card, Choice, Empty, FailedJobs, Head, Icon, Loaded, State, STATES, Table, Time } from "../app/parts.js";
import { to } from "../app/route.js";
import { named, targetOf } from "./queues/targets.js";

export default function Overview({ about, overview }) {
    return html`<${Head} title="Overview" />
        <${Loaded} live=${overview}>
            ${(data) =>
                html`<${Problems} data=${data} about=${about} reload=${overview.reload} />
                    <${States} data=${data} />
                    ${
                        data.throughput &&
                        html`<div class="two fill">
                            <${Ended} throughput=${data.throughput} />
                            <${Waiting} throughput=${data.throughput} queues=${data.queues} />
                        </div>`
                    }
                    <div class="two">
                        <div class="stack">
                            <${Failures} failures=${data.failures} />
                            <${Oldest} jobs=${data.oldestRunning} />
                        </div>
                        <div class="stack">
                            <${Queues} queues=${data.queues} all=${data.queuesInAll} />
                            <${Workers} workers=${data.workers} />
                        </div>
                    </div>`}
        <//>`;
}

/** The most failures, queues and workers of the overview. Their views have all. */
const SHOWN = 20;

/** The words of each problem: its subject, time and size, and the one action that helps. */
const PROBLEMS = {
    "dead-worker": ({ subject, heartbeatAt }) => ({
        bad: true,
        what: html`Worker <bdi>${subject}</bdi> stopped without handing back its jobs`,
        then: html`Last heartbeat <${Time} at=${heartbeatAt} relative />. Another worker takes the jobs over when their leases end.`,
        link: ["Jobs", to("jobs", { state: "RUNNING", worker: subject })],
    }),
    "background-task": ({ subject, detail }) => ({
        bad: true,
        what: html`The background task ${subject} fails`,
        then: detail,
        link: ["System", to("system")],
    }),
    "stuck-handlers": ({ subject, count: slots }) => ({
        bad: true,
        what: html`Worker <bdi>${subject}</bdi> has ${count(slots, "stuck handler")}`,
        then: "Their time limit is over, and they ignore their interrupt. The worker has opened one more slot for each.",
        link: ["Worker", to(["workers", subject])],
    }),
    "no-worker": ({ count: jobs }) => ({
        bad: true,
        what: "No worker is alive",
        then: `${waiting(jobs)} Start a worker in your application, or with the command: windrow work`,
        link: [count(jobs, "job"), to("jobs", { state: "PENDING" })],
    }),
    paused: ({ limits }, data) => {
        const ready = readyOf(limits, data);
        return {
            what: html`<${Target} limits=${limits} /> is paused${limits.reason && html`: <bdi>${limits.reason}</bdi>`}`,
            then: html`By <bdi>${limits.pausedBy}</bdi>, <${Time} at=${limits.pausedAt} relative />.${ready !== null && " " + waiting(ready)}`,
            link: [
                ready === null ? "Jobs" : count(ready, "job"),
                to("jobs", { state: "PENDING", queue: limits.queue, type: limits.type, concurrencyKey: limits.key }),
            ],
            resume: limits,
        };
    },
    full: ({ limits }) => ({
        what: html`<${Target} limits=${limits} /> is full`,
        then: `It runs as many jobs as its limit allows: ${number(limits.maxRunning)}. Others wait.`,
        link: ["Limits", to(["queues", ...place(limits)])],
    }),
    "unhandled-type": ({ subject, count: jobs, similar }) => ({
        what: html`No worker handles ${subject}`,
        then: `${waiting(jobs)} ${similar ? `A worker handles ${similar}, which differs only by case.` : "Start a worker that has a handler for this type."}`,
        link: [count(jobs, "job"), to("jobs", { state: "PENDING", type: subject })],
    }),
    "unserved-queue": ({ subject, count: jobs }) => ({
        what: html`No worker serves the queue ${subject}`,
        then: `${waiting(jobs)} Start a worker of this queue.`,
        link: [count(jobs, "job"), to("jobs", { state: "PENDING", queue: subject })],
    }),
    "overdue-schedule": ({ overdueMillis }) => ({
        what: html`A schedule is ${duration(overdueMillis)} late`,
        then: "No worker has made its job yet.",
        link: ["Schedules", to("schedules")],
    }),
};

const ORDER = Object.keys(PROBLEMS);

/** "1 job waits." */
function waiting(jobs) {
    return `${count(jobs, "job")} ${jobs === 1 ? "waits" : "wait"}.`;
}

/** The number of ready jobs of a queue or a type; null if the overview does not have it. */
function readyOf(limits, { queues, types }) {
    const found = limits.queue ? queues.find(({ queue }) => queue === limits.queue) : types.find(({ type }) => type === limits.type);
    return found?.states.PENDING ?? null;
}

/** The words of the problems of a kind that are counted only, and the view that has them. */
const OTHERS = {
    "dead-worker": ["stopped worker", "workers"],
    "background-task": ["failing background task", "system"],
    "stuck-handlers": ["worker with stuck handlers", "workers", "workers with stuck handlers"],
    paused: ["pause", "queues"],
    full: ["full queue or type", "queues", "full queues or types"],
    "unhandled-type": ["type without a worker", "queues", "types without a worker"],
    "unserved-queue": ["queue without a worker", "queues", "queues without a worker"],
};

/** The kind and the name in addresses. */
function place(limits) {
    const { kind, name } = targetOf(limits);
    return [kind, name];
}

/** "Key tenant-42" */
function Target({ limits }) {
    const { name, word } = targetOf(limits);
    return html`${upper(word)} <bdi class="wrap">${name}</bdi>`;
}

function Problems({ data, about, reload }) {
    const { problems, problemsInAll: counts } = data;
    if (problems.length === 0) {
        return html`<div class="banner"><${State} state="COMPLETED">No problems<//></div>`;
    }
    const resume = async (limits) => {
        try {
            await change("PUT", address(["controls", ...place(limits)]), { paused: false });
            toast(upper(named(targetOf(limits))) + " was resumed.");
            reload();
        } catch (problem) {
            toast(problem.message, { error: true });
        }
    };
    const sorted = [...problems].sort((a, b) => ORDER.indexOf(a.problem) - ORDER.indexOf(b.problem));
    const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
    return html`<${Card} title=${count(all, "problem")} aside=${html`<a href=${to("system")}>Doctor</a>`}>
        <ul class="rows">
            ${sorted.map((problem) => {
                const { bad, what, then, link, resume: limits } = PROBLEMS[problem.problem](problem, data);
                return html`<li key=${problem.problem + problem.subject}>
                    <span class=${bad ? "bad" : "warn"}
                        ><${Icon} name=${bad ? "failures" : "warnsign"} label=${bad ? "Jobs at risk" : "Warning"}
                    /></span>
                    <div class="grow wrap">
                        <b>${what}</b>
                        <p class="muted">${then}</p>
                    </div>
                    <div class="row acts-s">
                        ${
                            limits &&
                            about.permissions.includes("control") &&
                            html`<button class="btn slim" type="button" onClick=${() => resume(limits)}>Resume</button>`
                        }
                        <a class="btn slim" href=${link[1]}>${link[0]}</a>
                    </div>
                </li>`;
            })}
            ${ORDER.map((kind) => html`<${Others} key=${kind} kind=${kind} left=${(counts[kind] ?? 0) - problems.filter(({ problem }) => problem === kind).length} />`)}
        </ul>
    <//>`;
}

function Others({ kind, left }) {
    if (left <= 0) {
        return null;
    }
    const [one, view, many] = OTHERS[kind];
    return html`<li>
        <span class="warn"><${Icon} name="warnsign" label="Warning" /></span>
        <b class="grow">${`And ${count(left, "other " + one, many && "other " + many)}`}</b>
        <a class="btn slim" href=${to(view)}>Show</a>
    </li>`;
}

function States({ data }) {
    const last = data.throughput?.minutes.at(-2);
    const failedInHour = data.throughput?.minutes.reduce((sum, point) => sum + point.failed, 0);
    const slots = data.workers.reduce((sum, worker) => sum + worker.slots, 0);
    const lag = Math.max(0, ...data.queues.map((queue) => queue.lagMillis ?? 0));
    const facts = {
        BLOCKED: data.waiting.count ? `${number(data.waiting.count)} wait for an event` : "none waits for an event",
        SCHEDULED: "due later",
        PENDING: lag ? "oldest " + duration(lag) : "none waits",
        RUNNING: "of " + count(slots, "slot"),
        COMPLETED: last ? `${number(last.succeeded)} in the last minute` : "",
        FAILED: failedInHour ? `${count(failedInHour, "attempt")} failed in the last hour` : "none in the last hour",
        CANCELLED: "",
    };
    return html`<section class="card tiles" aria-label="Jobs by state">
        ${STATES.map(
            (state) =>
                html`<a class="tile" href=${to("jobs", { state })}>
                    <${State} state=${state} />
                    <b>${number(data.states[state])}</b>
                    <small class=${state === "FAILED" && failedInHour ? "bad" : "muted"}>${facts[state]}</small>
                </a>`,
        )}
    </section>`;
}

function Ended({ throughput }) {
    const [unit, setUnit] = useState("minutes");
    const units = [
        ["minutes", "60 min"],
        ["hours", "24 h"],
    ];
    return html`<${Card}
        title=${unit === "minutes" ? "Ended per minute" : "Ended per hour"}
        aside=${html`<${Choice} label="Period" values=${units} value=${unit} choose=${setUnit} />`}
    >
        <${Bars} points=${throughput[unit]} unit=${unit === "minutes" ? "minute" : "hour"} />
    <//>`;
}

function Waiting({ throughput, queues }) {
    const [kind, setKind] = useState("wait");
    const kinds = [
        ["wait", "Wait"],
        ["run", "Run"],
    ];
    return html`<${Card}
        title=${kind === "wait" ? "Wait before start" : "Running time"}
        aside=${html`<${Choice} label="Times" values=${kinds} value=${kind} choose=${setKind} />`}
    >
        <${Durations}
            points=${throughput.minutes}
            kind=${kind}
            lagMillis=${kind === "wait" ? Math.max(0, ...queues.map((queue) => queue.lagMillis ?? 0)) : 0}
        />
    <//>`;
}

function Failures({ failures }) {
    const shown = failures.slice(0, SHOWN);
    return html`<${Card} title="Failures" aside=${html`<a href=${to("failures")}>All failures</a>`}>
        ${
            shown.length === 0
                ? html`<${Empty} title="No job is failed.">A job whose last attempt fails appears here with its error code.<//>`
                : html`<${Table} caption="Failed jobs by error code" columns=${["Code", ["Jobs", "num"]]}>
                      ${shown.map(
                          (failure) =>
                              html`<tr key=${failure.errorCode}>
                                  <td>
                                      <${FailedJobs} code=${failure.errorCode} css="mono">${failure.errorCode}<//>
                                      <br /><small class="muted">last failure <${Time} at=${failure.lastAt} relative /></small>
                                  </td>
                                  <td class="num">
                                      <${FailedJobs} code=${failure.errorCode}>${number(failure.count)}<//>
                                  </td>
                              </tr>`,
                      )}
                  <//>`
        }
    <//>`;
}

function Queues({ queues, all }) {
    const shown = queues.length > SHOWN ? [...queues].sort((a, b) => isBusy(b) - isBusy(a)).slice(0, SHOWN) : queues;
    return html`<${Card}
        title="Queues"
        aside=${html`<a href=${to("queues")}>${all > shown.length ? `All ${count(all, "queue")}` : "Queues & limits"}</a>`}
    >
        ${
            queues.length === 0
                ? html`<${Empty} title="No job has been enqueued yet.">Enqueue one from your application, or with the button New job.<//>`
                : html`<${Table} caption="Queues" columns=${["Queue", ["Lag", "num"], ["Running", "num"], ["Ready", "num"]]}>
                      ${shown.map(
                          (queue) =>
                              html`<tr key=${queue.queue}>
                                  <td>
                                      <a href=${to("jobs", { queue: queue.queue })}>${queue.queue}</a>
                                      ${queue.paused && html`<br /><small class="warn">paused</small>`}
                                  </td>
                                  <td class=${queue.paused ? "num warn" : "num"}>${duration(queue.lagMillis)}</td>
                                  <td class="num">
                                      <a href=${to("jobs", { queue: queue.queue, state: "RUNNING" })}>${number(queue.states.RUNNING)}</a>
                                  </td>
                                  <td class="num">
                                      <a href=${to("jobs", { queue: queue.queue, state: "PENDING" })}>${number(queue.states.PENDING)}</a>
                                  </td>
                              </tr>`,
                      )}
                  <//>`
        }
    <//>`;
}

/** Of many queues the ones with ready or running jobs are shown. */
function isBusy({ states }) {
    return states.PENDING + states.RUNNING > 0;
}

function Oldest({ jobs }) {
    return html`<${Card} title="Running" aside=${html`<a href=${to("jobs", { state: "RUNNING" })}>All running jobs</a>`}>
        ${
            jobs.length === 0
                ? html`<${Empty} title="No job runs.">A running job appears here, the oldest heartbeat first.<//>`
                : html`<${Table} caption="Running jobs, the oldest heartbeat first">
                      ${jobs.map(
                          (job) =>
                              html`<tr key=${job.id}>
                                  <td>
                                      <a href=${to(["jobs", job.id])}>${job.id}</a> <bdi>${job.type}</bdi><br /><small class="muted"
                                          ><bdi>${job.worker}</bdi></small
                                      >
                                  </td>
                                  <td class="num"><${Time} at=${job.startedAt} relative /></td>
                              </tr>`,
                      )}
                  <//>`
        }
    <//>`;
}

function Workers({ workers }) {
    return html`<${Card} title="Workers" aside=${html`<a href=${to("workers")}>All workers</a>`}>
        ${
            workers.length === 0
                ? html`<${Empty} title="No worker is alive.">Start one in your application, or with the command: windrow work<//>`
                : html`<${Table} caption="Live workers">
                      ${workers.slice(0, SHOWN).map(
                          (worker) =>
                              html`<tr key=${worker.id}>
                                  <td>
                                      <a href=${to(["workers", worker.id])}><bdi>${worker.id}</bdi></a
                                      ><br /><small class="muted">${worker.queues.join(", ") || "all queues"}</small>
                                  </td>
                                  <td class="num">${number(worker.busy)} of ${number(worker.slots)}</td>
                              </tr>`,
                      )}
                  <//>`
        }
    <//>`;
}
