/** Queues, types and concurrency keys: what waits and runs, and their pauses and limits. */
import { address } from "../app/api.js";
import { Spark } from "../app/charts.js";
import { count, duration, number } from "../app/format.js";
import { html, useMemo, useState } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { useKept, useLive } from "../app/live.js";
import { Card, Empty, Failed, Head, Icon, Loaded, Table } from "../app/parts.js";
import { go, replace, to } from "../app/route.js";
import { useRows } from "../app/rows.js";
import { Keys, keyTargets, useKeyList } from "./queues/keys.js";
import { Meter, Pause, RateText } from "./queues/parts.js";
import { Question, Target } from "./queues/target.js";
import { targets } from "./queues/targets.js";

/** A store may have any number of queues and types. More are found by their names. */
const MOST = 100;
const SERVER_KEEPS_MILLIS = 1100;

export default function Queues({ about, path, query, overview }) {
    const [, kind, name] = path;
    // The server keeps the overview for a second, so the first answer may be older than the change.
    const keys = useKeyList(about.queues === null);
    const reload = () => {
        overview.reload();
        keys.reload();
        setTimeout(overview.reload, SERVER_KEEPS_MILLIS);
    };
    // A sender of some queues would have to name one. The answer is long, and has a point for each minute.
    const throughput = useLive(about.queues === null ? address("throughput") : null, { seconds: 30 });
    const ended = throughput.data;
    return html`<${Loaded} live=${overview}>
        ${(data) => html`<${Page} about=${about} data=${data} ended=${ended} keys=${keys} query=${query} reload=${reload} open=${kind && name ? { kind, name } : null} />`}
    <//>`;
}

function Page({ about, data, ended, keys, query, reload, open }) {
    const all = useMemo(() => ({ ...targets(data, ended), keys: keys.data ? keyTargets(keys.data) : [] }), [data, ended, keys.data]);
    const [asked, ask] = useState(null);
    const finds = { findQueue: query.get("findQueue") ?? "", find: query.get("find") ?? "" };
    const queues = useFound("queues", finds.findQueue, data, all);
    const types = useFound("types", finds.find, data, all, ended);
    const rows = [...queues.rows, ...types.rows, ...all.keys];
    const current = useRows(rows.length, (i) => go(href(rows[i], finds)));
    useKeys({ "/": () => document.querySelector("input.find")?.focus() });
    const search = (name, label) =>
        html`<input
            class="input find"
            type="search"
            aria-label=${label}
            placeholder=${label}
            maxlength="200"
            value=${finds[name]}
            onInput=${(event) => replace(to("queues", { ...finds, [name]: event.target.value }))}
        />`;
    const paused = all.queues.filter(({ limits }) => limits?.paused).length;
    const full = all.queues.filter((queue) => queue.full).length;
    const wholeStore = about.queues === null;
    const row = { ask: about.permissions.includes("control") ? ask : null, finds };
    const close = () => replace(to("queues", finds));
    return html`<${Head}
            title="Queues & limits"
            facts=${[data.queuesInAll > 0 && count(data.queuesInAll, "queue"), paused > 0 && `${number(paused)} paused`, full > 0 && `${number(full)} full`].filter(Boolean).join(", ")}
        />
        <${Card}
            title="Queues"
            aside=${data.queuesInAll > MOST ? search("findQueue", "Find a queue") : html`<span class="muted small">A limit holds for all workers together</span>`}
        >
            ${queues.problem && html`<div class="pad"><${Failed} problem=${queues.problem} /></div>`}
            ${
                queues.rows.length === 0
                    ? finds.findQueue
                        ? html`<${NoneFound} kind="queue" total=${data.queuesInAll} />`
                        : html`<${Empty} title="No job has been enqueued yet.">Enqueue one from your application, or with the button New job.<//>`
                    : html`<${Table} caption="Queues" columns=${columns("Queue", ["Lag", "num"])}>
                          ${queues.rows.map(
                              (target, i) => html`<${Row} key=${target.name} target=${target} lag current=${current === i} ...${row} />`,
                          )}
                      <//>`
            }
            <${Left} found=${queues} kind="queue" />
        <//>
        ${
            wholeStore &&
            all.types.length > 0 &&
            html`<${Card} title="Types" aside=${search("find", "Find a type")}>
                ${types.problem && html`<div class="pad"><${Failed} problem=${types.problem} /></div>`}
                ${
                    types.rows.length === 0
                        ? html`<${NoneFound} kind="type" total=${data.typesInAll} />`
                        : html`<${Table} caption="Types" columns=${columns("Type", ["Ended, 60 min", "p3"])}>
                              ${types.rows.map(
                                  (target, i) =>
                                      html`<${Row} key=${target.name} target=${target} current=${current === queues.rows.length + i} ...${row} />`,
                              )}
                          <//>`
                }
                <${Left} found=${types} kind="type" />
            <//>`
        }
        ${wholeStore && html`<${Keys} live=${keys} keys=${all.keys} current=${current - queues.rows.length - types.rows.length} ...${row} />`}
        ${open && html`<${Target} key=${open.kind + open.name} about=${about} ...${open} data=${data} all=${all} ask=${row.ask} reload=${reload} close=${close} />`}
        ${asked && html`<${Question} done=${reload} ...${asked} close=${() => ask(null)} />`}`;
}

/**
 * Returns the first targets with a text in their names, and the number of all. If the overview has only a part of the queues or types, the server looks
 * for them.
 */
function useFound(kind, text, data, all, ended) {
    const isPart = data[kind + "InAll"] > all[kind].length;
    const live = useKept(useLive(isPart && text ? address(kind, { find: text, limit: MOST }) : null));
    const found = useMemo(() => live.data && targets(live.data, ended)[kind], [live.data, ended]);
    if (isPart && text) {
        return { rows: found ?? [], total: live.data?.[kind + "InAll"] ?? 0, problem: live.problem };
    }
    const local = all[kind].filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
    return { rows: local.slice(0, MOST), total: text ? local.length : Math.max(local.length, data[kind + "InAll"] ?? 0) };
}

function NoneFound({ kind, total }) {
    return html`<${Empty} title=${`No ${kind} has this in its name.`}>Looked at ${count(total, kind)}. Change the text above.<//>`;
}

function Left({ found: { rows, total }, kind }) {
    return rows.length < total && html`<p class="foot">${number(rows.length)} of ${count(total, kind)}. Find others by their names.</p>`;
}

function href({ kind, name }, finds) {
    return to(["queues", kind, name], finds);
}

function columns(name, own) {
    return [name, ["Ready", "num"], own, ["Running", "num p2"], ["Rate", "num p3"], [html`<span class="off">Actions</span>`, "num p2"]];
}

function Row({ target, lag, current, ask, finds }) {
    const { kind, name, limits, states, filter } = target;
    return html`<tr class=${current ? "at" : null}>
        <th scope="row">
            <a href=${href(target, finds)}
                ><b class="wrap"><bdi>${name}</bdi></b></a
            >
            <${Pause} limits=${limits} />
            ${
                target.unattended &&
                html`<small class="warn clip"
                    ><${Icon} name="warnsign" />
                    ${kind === "queues" ? "No worker serves this queue" : "No worker handles this type"}${target.similar && html`. A worker handles <bdi>${target.similar}</bdi>, which differs only by case`}</small
                >`
            }
            <small class="only-s muted">${number(states.RUNNING)}${limits?.maxRunning ? ` of ${number(limits.maxRunning)}` : ""} running</small>
            ${limits?.rate && html`<small class="only-m muted">rate ${limits.rate}</small>`}
        </th>
        <td class="num"><a href=${to("jobs", { ...filter, state: "PENDING" })}>${number(states.PENDING)}</a></td>
        ${
            lag
                ? html`<td class=${target.unattended || limits?.paused ? "num warn" : "num"}>${duration(target.lagMillis)}</td>`
                : html`<td class="p3">
                      ${target.minutes ? html`<${Spark} values=${target.minutes} /><span class="off">${number(target.minutes.reduce((a, b) => a + b, 0))}</span>` : html`<span class="muted">-</span>`}
                  </td>`
        }
        <td class="num p2 meter">
            <${Meter} running=${states.RUNNING} max=${limits?.maxRunning} full=${target.full} href=${to("jobs", { ...filter, state: "RUNNING" })} />
        </td>
        <td class="num p3"><${RateText} limits=${limits} /></td>
        <td class="num p2">
            ${
                ask
                    ? html`<button
                              class=${limits?.paused ? "btn slim" : "btn slim bare"}
                              type="button"
                              aria-label=${`${limits?.paused ? "Resume" : "Pause"} ${name}`}
                              onClick=${() => ask({ target, pause: !limits?.paused })}
                          >
                              ${limits?.paused ? "Resume" : "Pause"}</button
                          ><button class="btn slim bare" type="button" aria-label=${"Limit " + name} onClick=${() => go(href(target, finds))}>
                              Limit
                          </button>`
                    : html`<a href=${href(target, finds)} aria-label=${"Details of " + name}>Details</a>`
            }
        </td>
    </tr>`;
}
