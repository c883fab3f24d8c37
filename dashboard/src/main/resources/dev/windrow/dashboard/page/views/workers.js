/** Workers: their slots with the jobs in them, their process and version, and those that stopped without handing back their jobs. */
import { address } from "../app/api.js";
import { count, duration, number } from "../app/format.js";
import { html } from "../app/html.js";
import { useLive } from "../app/live.js";
import { Card, Empty, Head, Icon, Loaded, State, Table, Time, useNow } from "../app/parts.js";
import { go, to } from "../app/route.js";
import { useRows } from "../app/rows.js";
import { Slots, isOld } from "./workers/slots.js";

/** The ages of more running jobs would cost a request for each page of them. */
const MOST_AGES = 200;
/** The run times of more types are not read. */
const MOST_TIMES = 1000;
const FIRST_CARDS = 50;
const MOST_TYPES = 12;

export default function Workers({ about, path, query, overview }) {
    const live = useLive(address("workers"));
    const running = useLive(address("jobs", { state: "RUNNING", order: "oldest", limit: MOST_AGES }));
    // A sender of some queues would have to name one.
    const times = useLive(about.queues === null ? address("throughput", { timesOnly: true, limit: MOST_TIMES }) : null, { seconds: 30 });
    return html`<${Loaded} live=${live}>
        ${({ workers }) => html`<${Page} workers=${workers} running=${running.data} times=${times.data?.times ?? []} data=${overview.data} name=${path[1]} find=${query.get("version")} most=${Number(query.get("show")) || FIRST_CARDS} />`}
    <//>`;
}

function Page({ workers, running, times, data, name, find, most }) {
    const dead = (data?.problems ?? []).filter(({ problem }) => problem === "dead-worker");
    const stuck = new Map((data?.stuck ?? []).map((one) => [one.worker, one.slots]));
    const jobs = new Map((running?.jobs ?? []).map((job) => [job.id, job]));
    const usual = new Map(times.map((of) => [of.type, of.runP99Millis]));
    const versions = countBy(workers.map(({ version }) => version));
    const newest = [...versions.keys()].sort((a, b) => b.localeCompare(a, "en", { numeric: true }))[0];
    const found = workers.filter(({ id, version }) => (!name || id === name) && (!find || version === find));
    const shown = found.slice(0, most);
    const current = useRows(shown.length, (i) => go(to(["workers", shown[i].id])));
    const sum = (key) => workers.reduce((all, worker) => all + worker[key], 0);
    const facts = [
        `${number(workers.length)} alive`,
        workers.length > 0 && html`<a href=${to("jobs", { state: "RUNNING" })}>${number(sum("busy"))}</a> of ${count(sum("slots"), "slot")} busy`,
        dead.length > 0 && `${number(dead.length)} stopped`,
    ].filter(Boolean);
    return html`<${Head}
            crumbs=${(name || find) && html`<a href=${to("workers")}>Workers</a>`}
            title=${name ? html`<bdi>${name}</bdi>` : "Workers"}
            plain=${name ?? "Workers"}
            facts=${!name && facts.map((fact, i) => html`${i > 0 && ", "}${fact}`)}
        />
        ${!name && versions.size > 1 && html`<${Versions} versions=${versions} newest=${newest} workers=${workers} />`}
        ${
            workers.length === 0
                ? html`<div class="card">
                      <${Empty} title="No worker is alive.">Ready jobs wait. Start a worker in your application, or with the command: windrow work<//>
                  </div>`
                : shown.length === 0 &&
                  !dead.some(({ subject }) => subject === name) &&
                  html`<div class="card">
                      <${Empty} title="No live worker has this name or version."><a href=${to("workers")}>All workers</a><//>
                  </div>`
        }
        ${
            shown.length > 0 &&
            html`<div class=${shown.length > 1 ? "two" : "stack"}>
                ${shown.map(
                    (worker, i) =>
                        html`<${Worker}
                            key=${worker.id + worker.host + worker.pid + worker.startedAt}
                            worker=${worker}
                            jobs=${jobs}
                            usual=${usual}
                            stuck=${stuck.get(worker.id) ?? 0}
                            older=${worker.version !== newest && newest}
                            current=${current === i}
                            alone=${Boolean(name)}
                        />`,
                )}
            </div>`
        }
        ${
            shown.length < found.length &&
            html`<p class="muted">
                ${number(shown.length)} of ${number(found.length)} workers. <a href=${to("workers", { version: find, show: 2 * most })}>Show more</a>
            </p>`
        }
        ${running?.next && html`<p class="muted small">Slots show the age of the ${number(MOST_AGES)} running jobs that were enqueued first.</p>`}
        ${dead.length > 0 && html`<${Dead} workers=${name ? dead.filter(({ subject }) => subject === name) : dead} />`}`;
}

function countBy(values) {
    const counts = new Map();
    values.forEach((value) => counts.set(value, (counts.get(value) ?? 0) + 1));
    return counts;
}

/** Several versions at work: a deployment is not finished, or a process was forgotten. */
function Versions({ versions, newest, workers }) {
    const known = new Set(workers.filter(({ version }) => version === newest).flatMap(({ types }) => types));
    const behind = workers.filter(({ version }) => version !== newest);
    const missing = [...known].filter((type) => behind.some(({ types }) => !types.includes(type)));
    return html`<div class="banner warn">
        <${Icon} name="warnsign" />
        <div class="wrap">
            <b
                >${count(versions.size, "version")} of Windrow are at
                work:${" "}${[...versions].map(([version, workers], i) => html`${i > 0 && ", "}<a href=${to("workers", { version })}>${version}</a> (${count(workers, "worker")})`)}</b
            >
            <p>
                Deploy the older ones again to finish the
                change.${missing.length > 0 && html` They do not handle all types of the newer ones: <bdi>${missing.slice(0, 3).join(", ")}</bdi>${missing.length > 3 && ` and ${number(missing.length - 3)} others`}.`}
            </p>
        </div>
    </div>`;
}

function Worker({ worker, jobs, usual, stuck, older, current, alone }) {
    const now = useNow();
    const { id, slots, busy, claimedAhead } = worker;
    const ages = worker.running.map((job) => jobs.get(job)?.startedAt).filter(Boolean);
    const longest = ages.length > 0 ? Math.max(0, now - Math.min(...ages.map((at) => new Date(at).getTime()))) : null;
    const old = worker.running.filter((job) => isOld(jobs.get(job), usual, now)).length;
    const types = alone ? worker.types : worker.types.slice(0, MOST_TYPES);
    return html`<section class=${current ? "card at" : "card"}>
        <header>
            <h2 class="wrap">
                <a href=${to(["workers", id])}><bdi>${id}</bdi></a>
            </h2>
            <span class="live">heartbeat <${Time} at=${worker.heartbeatAt} relative /></span>
        </header>
        <div class="pad stack">
            <${Slots} worker=${worker} jobs=${jobs} usual=${usual} stuck=${stuck} now=${now} all=${alone} />
            <p class="small muted">
                <a href=${to("jobs", { state: "RUNNING", worker: id })}>${number(busy)} of ${count(slots, "slot")}</a> busy${
                    longest !== null && `, the longest runs ${duration(longest)}`
                }${old > 0 && `, ${number(old)} longer than usual`}${claimedAhead > 0 && `, ${count(claimedAhead, "claimed job")} not started yet`}${
                    stuck > 0 && html`,${" "}<span class="bad">${stuckText(stuck)}</span>`
                }
            </p>
            <dl class="facts">
                <dt>Queues</dt>
                <dd>
                    ${worker.queues.map((queue, i) => html`${i > 0 && ", "}<a href=${to(["queues", "queues", queue])}><bdi>${queue}</bdi></a>`)}
                    ${worker.queues.length === 0 && "none"}
                </dd>
                <dt>Types</dt>
                <dd>
                    ${types.map((type, i) => html`${i > 0 && ", "}<a href=${to(["queues", "types", type])}><bdi>${type}</bdi></a>`)}
                    ${types.length < worker.types.length && html`, <a href=${to(["workers", id])}>${number(worker.types.length - types.length)} more</a>`}
                    ${worker.types.length === 0 && "not shown"}
                </dd>
                ${
                    worker.minPriority !== null &&
                    html`<dt>Priority</dt>
                        <dd>${number(worker.minPriority)} and higher</dd>`
                }
                <dt>Process</dt>
                <dd><bdi>${worker.host}</bdi>, pid ${worker.pid}, up ${duration(Math.max(0, now - new Date(worker.startedAt).getTime()))}</dd>
                <dt>Version</dt>
                <dd>${older ? html`<span class="warn">${worker.version}, older than ${older}</span>` : worker.version}</dd>
            </dl>
        </div>
    </section>`;
}

/** The slots of stuck handlers have new threads; the old ones cost memory, and maybe more. */
function stuckText(handlers) {
    return `${count(handlers, "stuck handler")} ${handlers === 1 ? "ignores its interrupt and was" : "ignore their interrupts and were"} given up. Restart the process.`;
}

function Dead({ workers }) {
    return html`<${Card} title="Stopped without handing back their jobs">
        <${Table} caption="Stopped workers" columns=${["Worker", ["How", "p2"], "Jobs", ["Last heartbeat", "num"]]}>
            ${workers.map(
                ({ subject, heartbeatAt }) =>
                    html`<tr key=${subject}>
                        <th scope="row" class="wrap"><bdi>${subject}</bdi></th>
                        <td class="p2"><${State} state="FAILED">No heartbeat<//></td>
                        <td>
                            <a href=${to("jobs", { state: "RUNNING", worker: subject })}>Its jobs</a> are taken over by another worker when their
                            leases end
                        </td>
                        <td class="num"><${Time} at=${heartbeatAt} relative /></td>
                    </tr>`,
            )}
        <//>
    <//>`;
}
