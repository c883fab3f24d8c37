/** The overview: problems first, then states, throughput and times, failures, queues, what runs longest, workers. */
import { address, change } from "../app/api.js";
import { Bars, Durations } from "../app/charts.js";
import { toast } from "../app/dialogs.js";
import { count, duration, number, upper, word } from "../app/format.js";
import { html, useState } from "../app/html.js";
import { Card, Choice, Empty, Head, Icon, Loaded, State, STATES, Table, Time } from "../app/parts.js";
import { to } from "../app/route.js";
import { named, targetOf } from "./queues/targets.js";

export default function Overview({ about, overview }) {
    return html`<${Head} title="Overview" />
        <${Loaded} live=${overview}>
            ${(data) =>
                html`<${Problems} problems=${data.problems} about=${about} reload=${overview.reload} />
                    <${States} data=${data} />
                    ${
                        data.throughput &&
                        html`<div class="two fill">
                            <${Ended} throughput=${data.throughput} />
                            <${Waiting} throughput=${data.throughput} queues=${data.queues} />
                        </div>`
                    }
                    <div class="two">
                        <${Failures} failures=${data.failures} />
                        <${Queues} queues=${data.queues} />
                        <${Oldest} jobs=${data.oldestRunning} />
                        <${Workers} workers=${data.workers} />
                    </div>`}
        <//>`;
}

/** The words of each problem: its subject, time and size, and the one action that helps. */
const PROBLEMS = {
    "dead-worker": ({ subject, heartbeatAt }) => ({
        bad: true,
        what: html`Worker <b>${subject}</b> stopped without handing back its jobs`,
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
        what: html`Worker ${subject} has ${count(slots, "stuck handler")}`,
        then: "Their time limit is over, and they ignore their interrupt. The worker has opened one more slot for each.",
        link: ["Worker", to(["workers", subject])],
    }),
    paused: ({ limits }) => ({
        what: html`${target(limits)} is paused${limits.reason ? ": " + limits.reason : ""}`,
        then: html`By ${limits.pausedBy}, <${Time} at=${limits.pausedAt} relative />.`,
        link: ["Jobs", to("jobs", { state: "PENDING", queue: limits.queue, type: limits.type, concurrencyKey: limits.key })],
        resume: limits,
    }),
    full: ({ limits }) => ({
        what: html`${target(limits)} is full`,
        then: `It runs as many jobs as its limit allows: ${number(limits.maxRunning)}. Others wait.`,
        link: ["Limits", to(["queues", ...place(limits)])],
    }),
    "unhandled-type": ({ subject, count: jobs, similar }) => ({
        what: html`No worker handles ${subject}`,
        then: `${count(jobs, "job")} ${jobs === 1 ? "waits" : "wait"}. ${similar ? `A worker handles ${similar}, which differs only by case.` : "Start a worker that has a handler for this type."}`,
        link: [count(jobs, "job"), to("jobs", { state: "PENDING", type: subject })],
    }),
    "unserved-queue": ({ subject, count: jobs }) => ({
        what: html`No worker serves the queue ${subject}`,
        then: `${count(jobs, "job")} ${jobs === 1 ? "waits" : "wait"}. Start a worker of this queue.`,
        link: [count(jobs, "job"), to("jobs", { state: "PENDING", queue: subject })],
    }),
    "overdue-schedule": ({ overdueMillis }) => ({
        what: html`A schedule is ${duration(overdueMillis)} late`,
        then: "No worker has made its job yet.",
        link: ["Schedules", to("schedules")],
    }),
};

const ORDER = Object.keys(PROBLEMS);

/** The kind and the name in addresses. */
function place(limits) {
    const { kind, name } = targetOf(limits);
    return [kind, name];
}

function target(limits) {
    return upper(named(targetOf(limits)));
}

function Problems({ problems, about, reload }) {
    if (problems.length === 0) {
        return html`<div class="banner"><${State} state="COMPLETED">No problems<//></div>`;
    }
    const resume = async (limits) => {
        try {
            await change("PUT", address(["controls", ...place(limits)]), { paused: false });
            toast(target(limits) + " was resumed.");
            reload();
        } catch (problem) {
            toast(problem.message, { error: true });
        }
    };
    const sorted = [...problems].sort((a, b) => ORDER.indexOf(a.problem) - ORDER.indexOf(b.problem));
    return html`<${Card} title=${count(problems.length, "problem")} aside=${html`<a href=${to("system")}>Doctor</a>`}>
        <ul class="rows">
            ${sorted.map((problem) => {
                const { bad, what, then, link, resume: limits } = PROBLEMS[problem.problem](problem);
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
        </ul>
    <//>`;
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
        title=${unit === "minutes" ? "Ended a minute" : "Ended an hour"}
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
    const shown = failures.slice(0, 20);
    return html`<${Card} title="Failures" aside=${html`<a href=${to("failures")}>All ${count(failures.length, "code")}</a>`}>
        ${
            shown.length === 0
                ? html`<${Empty} title="No job is failed.">A job whose last attempt fails appears here with its error code.<//>`
                : html`<${Table} caption="Failed jobs by error code" columns=${["Code", ["Jobs", "num"]]}>
                      ${shown.map(
                          (failure) =>
                              html`<tr key=${failure.errorCode}>
                                  <td>
                                      <a class="mono" href=${to("jobs", { state: "FAILED", code: failure.errorCode })}>${failure.errorCode}</a>
                                      <br /><small class="muted">last <${Time} at=${failure.lastAt} relative /></small>
                                  </td>
                                  <td class="num">
                                      <a href=${to("jobs", { state: "FAILED", code: failure.errorCode })}>${number(failure.count)}</a>
                                  </td>
                              </tr>`,
                      )}
                  <//>`
        }
    <//>`;
}

function Queues({ queues }) {
    return html`<${Card} title="Queues" aside=${html`<a href=${to("queues")}>Queues & limits</a>`}>
        ${
            queues.length === 0
                ? html`<${Empty} title="No job has been enqueued yet.">Enqueue one from your application, or with the button New job.<//>`
                : html`<${Table} caption="Queues" columns=${["Queue", ["Lag", "num"], ["Running", "num"], ["Ready", "num"]]}>
                      ${queues.map(
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
                                      <a href=${to(["jobs", job.id])}>${job.id}</a> ${job.type}<br /><small class="muted"
                                          >${job.queue}, ${job.worker ?? word(job.state ?? "")}</small
                                      >
                                  </td>
                                  <td class="num"><${Time} at=${job.startedAt ?? job.claimedAt} relative /></td>
                              </tr>`,
                      )}
                  <//>`
        }
    <//>`;
}

function Workers({ workers }) {
    return html`<${Card} title="Workers" aside=${html`<a href=${to("workers")}>All ${count(workers.length, "worker")}</a>`}>
        ${
            workers.length === 0
                ? html`<${Empty} title="No worker is alive.">Start one in your application, or with the command: windrow work<//>`
                : html`<${Table} caption="Live workers">
                      ${workers.slice(0, 20).map(
                          (worker) =>
                              html`<tr key=${worker.id}>
                                  <td>
                                      <a href=${to(["workers", worker.id])}>${worker.id}</a><br /><small class="muted"
                                          >${worker.queues.join(", ") || "all queues"}</small
                                      >
                                  </td>
                                  <td class="num">${number(worker.busy)} of ${number(worker.slots)}</td>
                              </tr>`,
                      )}
                  <//>`
        }
    <//>`;
}
