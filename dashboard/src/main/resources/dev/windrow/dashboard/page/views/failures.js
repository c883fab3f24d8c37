/** The error codes of failed jobs, with the last hours and an example of each, and the changes of all jobs of a code. */
import { address } from "../app/api.js";
import BulkDialog from "../app/bulk.js";
import { Failed, Trend, hoursOf } from "../app/charts.js";
import { count, number } from "../app/format.js";
import { html, useState } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { useLive } from "../app/live.js";
import { Bar, breakable, Card, Empty, failedJobs, FailedJobs, Head, Loaded, NO_CODE, ShowAll, Table, Time } from "../app/parts.js";
import { go, replace, to } from "../app/route.js";
import { useRows } from "../app/rows.js";
import { Stack } from "../app/stack.js";

const SHOWN = 100;
/** The server leaves out codes only if it has as many others. */
const MOST_FREQUENT = 20;
const PERIODS = [
    ["1h", "1 h", 3_600_000],
    ["24h", "24 h", 86_400_000],
    ["7d", "7 days", 604_800_000],
    ["", "All", Infinity],
];

export default function Failures({ about, query, overview }) {
    const live = useLive(about.queues === null ? address("failures") : null);
    if (about.queues !== null) {
        return html`<${Head} title="Failures" />
            <div class="card">
                <${Empty} title="You see some queues only, and error codes are counted over all queues."
                    ><a href=${to("jobs", { state: "FAILED" })}>The failed jobs of your queues</a><//
                >
            </div>`;
    }
    const total = (live.data?.failures ?? []).reduce((sum, failure) => sum + failure.count, 0);
    const codes = live.data?.failures.length;
    const facts =
        total > 0 &&
        (codes < MOST_FREQUENT
            ? `${count(total, "failed job")} with ${count(codes, "code")}`
            : `The ${number(codes)} most frequent codes, with ${count(total, "failed job")}`);
    return html`<${Head} title="Failures" facts=${facts} />
        <${Loaded} live=${live}>
            ${({ failures, trendFrom, trendSince }) =>
                html`<${Codes}
                    failures=${failures.map((failure) => ({
                        ...failure,
                        hours: hoursOf(failure.trend, trendFrom, trendSince),
                        lately: failure.trend.reduce((sum, failed) => sum + (failed ?? 0), 0),
                    }))}
                    about=${about}
                    query=${query}
                    overview=${overview.data}
                    reload=${live.reload}
                />`}
        <//>`;
}

function Codes({ failures, about, query, overview, reload }) {
    const [asked, ask] = useState(null);
    const [all, setAll] = useState(false);
    const period = PERIODS.find(([key]) => key === query.get("period")) ?? PERIODS.at(-1);
    const filter = query.get("filter") ?? "";
    const chosen = query.get("code");
    const byDay = query.get("order") === "day";
    const address = (changes) => to("failures", { period: period[0], filter, code: chosen, order: byDay ? "day" : null, ...changes });
    const matching = failures.filter(
        (failure) => Date.parse(failure.lastAt) >= Date.now() - period[2] && failure.errorCode.toLowerCase().includes(filter.toLowerCase()),
    );
    if (byDay) {
        matching.sort((a, b) => b.lately - a.lately);
    }
    const shown = all ? matching : matching.slice(0, SHOWN);
    const selected = shown.find((failure) => failure.errorCode === chosen) ?? shown[0];
    const open = (i) => go(failedJobs(shown[i].errorCode) ?? to(["jobs", shown[i].sampleJob]));
    useRows(shown.length, open, [shown.indexOf(selected), (i) => replace(address({ code: shown[i].errorCode }))]);
    useKeys({ "/": () => document.getElementById("filter").focus() });
    if (failures.length === 0) {
        return html`<div class="card">
            <${Empty} title="No job is failed.">
                A job that has used up its attempts appears here, by its error code. <a href=${to("jobs")}>All jobs</a>
            <//>
        </div>`;
    }
    const top = Math.max(...matching.map((failure) => failure.count));
    /** A heading by which the codes are or can be ordered. */
    const sorted = (name, css, on, order) => [
        html`<a href=${address({ order })}>${name}${on && html` <span aria-hidden="true">↓</span>`}</a>`,
        css,
        on ? "descending" : null,
    ];
    return html`<div class="row between">
            <nav class="tabs" aria-label="Last failure within">
                ${PERIODS.map(
                    ([key, label]) => html`<a href=${address({ period: key })} aria-current=${key === period[0] ? "true" : null}>${label}</a>`,
                )}
            </nav>
            <div class="row">
                <label class="off" for="filter">Filter codes</label>
                <input
                    class="input"
                    id="filter"
                    placeholder="Filter codes"
                    autocomplete="off"
                    value=${filter}
                    onInput=${(event) => replace(address({ filter: event.target.value }))}
                />
            </div>
        </div>
        <section class="card" aria-label="Error codes">
            ${
                shown.length === 0
                    ? html`<${Empty} title="No code matches.">
                          ${count(failures.length, "code")} without this filter. <a href=${to("failures")}>Show all</a>
                      <//>`
                    : html`<${Table}
                          caption=${`Error codes of failed jobs, the most frequent${byDay ? " of the last 24 hours" : ""} first`}
                          columns=${["Code", ["First", "p3"], ["Last", "p2"], sorted("Last 24 hours", "p2", byDay, "day"), sorted("Jobs", "num", !byDay, null), ["Example", "num p2"], mayChange(about) && [html`<span class="off">Changes</span>`, "p2"]]}
                      >
                          ${shown.map(
                              (failure) =>
                                  html`<${Row}
                                      key=${failure.errorCode}
                                      failure=${failure}
                                      current=${failure === selected}
                                      top=${top}
                                      href=${address({ code: failure.errorCode })}
                                      about=${about}
                                      ask=${ask}
                                  />`,
                          )}
                      <//>`
            }
            <${ShowAll} shown=${shown.length} all=${matching.length} onClick=${() => setAll(true)} />
        </section>
        ${
            selected &&
            html`<${Card} title=${html`<span class="wrap">Last 24 hours of <span class="mono">${breakable(selected.errorCode)}</span></span>`}>
                <${Failed} data=${selected.hours} />
            <//>`
        }
        ${selected && html`<${Example} key=${selected.errorCode} failure=${selected} about=${about} ask=${ask} />`}
        ${
            asked &&
            html`<${BulkDialog}
                action=${asked.action}
                filter=${{ state: ["FAILED"], errorCode: asked.errorCode }}
                words=${"state:failed code:" + asked.errorCode}
                about=${about}
                data=${overview}
                close=${() => ask(null)}
                done=${reload}
            />`
        }`;
}

function mayChange(about) {
    return about.permissions.includes("operate");
}

function Changes({ failure, about, ask, slim }) {
    if (failure.errorCode === NO_CODE) {
        return null; // a change names its jobs by a filter
    }
    const size = slim ? "btn slim" : "btn";
    const named = (verb) => (slim ? verb : `${verb} ${count(failure.count, "job")}`);
    const label = (verb) => `${verb} ${count(failure.count, "job")} with the code ${failure.errorCode}`;
    const button = (action, verb, style) =>
        html`<button class=${size + style} type="button" aria-label=${label(verb)} onClick=${() => ask({ action, errorCode: failure.errorCode })}>
            ${named(verb)}
        </button>`;
    return html`${mayChange(about) && button("retry", "Retry", slim ? "" : " main-act")}
    ${about.permissions.includes("destroy") && mayChange(about) && button("delete", "Delete", " danger")}`;
}

function Row({ failure, current, top, href, about, ask }) {
    return html`<tr class=${current ? "at" : null}>
        <th scope="row">
            <a class="mono wrap" href=${href} aria-current=${current ? "true" : null}>${breakable(failure.errorCode)}</a>
            <small class="only-s muted">last failure <${Time} at=${failure.lastAt} relative /></small>
            <span class="only-s"><${Trend} data=${failure.hours} /></span>
        </th>
        <td class="p3"><${Time} at=${failure.firstAt} /></td>
        <td class="p2"><${Time} at=${failure.lastAt} relative /></td>
        <td class="p2"><${Trend} data=${failure.hours} /></td>
        <td class="num">
            <${FailedJobs} code=${failure.errorCode}>${number(failure.count)}<//>
            <${Bar} percent=${(100 * failure.count) / top} css="failed" thin />
        </td>
        <td class="num p2"><a href=${to(["jobs", failure.sampleJob])}>${failure.sampleJob}</a></td>
        ${
            mayChange(about) &&
            html`<td class="p2">
                <span class="row nowrap-row"><${Changes} failure=${failure} about=${about} ask=${ask} slim /></span>
            </td>`
        }
    </tr>`;
}

/** The newest job of a code, with the stack trace of its last attempt. */
function Example({ failure, about, ask }) {
    const live = useLive(address(["jobs", failure.sampleJob]), { once: true });
    const job = live.data;
    const attempt = job?.attempts.findLast((each) => each.errorCode === failure.errorCode);
    const title = html`<span class="wrap">Example of <span class="mono">${breakable(failure.errorCode)}</span></span>`;
    return html`<${Card} title=${title} aside=${html`<a href=${to(["jobs", failure.sampleJob])}>Job ${failure.sampleJob}</a>`}>
        <div class="pad stack">
            ${
                job &&
                html`<p class="wrap">
                    <a href=${to("jobs", { type: job.type, state: "FAILED" })}>${job.type}</a> in the queue${" "}
                    <a href=${to("jobs", { queue: job.queue, state: "FAILED" })}><bdi>${job.queue}</bdi></a
                    >, failed${" "} <${Time} at=${job.finishedAt} relative /> after${" "}
                    ${count(job.attempt, "attempt")}.${job.errorDetail && html`<br /><bdi>${job.errorDetail}</bdi>`}
                </p>`
            }
            ${live.problem?.status === 404 && html`<p class="muted">The job was deleted meanwhile.</p>`}
            ${attempt?.stackTrace && html`<${Stack} stack=${attempt.stackTrace} label=${"Stack trace of job " + failure.sampleJob} />`}
            <div class="row"><${Changes} failure=${failure} about=${about} ask=${ask} /></div>
        </div>
    <//>`;
}
