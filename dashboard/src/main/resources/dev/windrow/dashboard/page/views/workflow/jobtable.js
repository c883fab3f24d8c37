/** The jobs of a workflow that is too large for a graph: a table, a page at a time. */
import { address, serverNow } from "../../app/api.js";
import { duration, number, word } from "../../app/format.js";
import { html } from "../../app/html.js";
import { useLive } from "../../app/live.js";
import { Card, Empty, Loaded, State, Table, Time } from "../../app/parts.js";
import { go, to } from "../../app/route.js";
import { useRows } from "../../app/rows.js";
import { ran } from "./model.js";
import { BY_URGENCY } from "./states.js";

export function JobTable({ workflow, query }) {
    const { id, jobs, states } = workflow;
    const state = query.get("state");
    const after = query.get("after");
    const live = useLive(address("jobs", { workflow: id, state, order: "oldest", after, limit: 100 }));
    const here = (changes) => to(["workflows", id], { state, ...changes });
    const tabs = [[null, "All", jobs], ...BY_URGENCY.filter((one) => states[one] > 0).map((one) => [one, word(one), states[one]])];
    return html`<${Card} title="Jobs" aside=${html`<span class="muted small">More than 2,000 jobs are not drawn.</span>`}>
        <nav class="tabs pad" aria-label="State">
            ${tabs.map(
                ([value, label, n]) =>
                    html`<a key=${label} href=${here({ state: value })} aria-current=${value === state ? "page" : null}
                        >${label} <b>${number(n)}</b></a
                    >`,
            )}
        </nav>
        <${Loaded} live=${live}>
            ${(page) =>
                page.jobs.length === 0
                    ? html`<${Empty} title="No job is in this state."><a href=${here({ state: null })}>Show all jobs</a><//>`
                    : html`<${Rows} id=${id} jobs=${page.jobs} /> ${
                              (page.next || after) &&
                              html`<div class="foot">
                                  <span class="grow"></span>
                                  ${after && html`<a class="btn slim" href=${here({})}>First</a>`}
                                  ${page.next && html`<a class="btn slim" href=${here({ after: page.next })}>Next</a>`}
                              </div>`
                          }`}
        <//>
    <//>`;
}

function Rows({ id, jobs }) {
    const at = useRows(jobs.length, (i) => go(to(["jobs", jobs[i].id])));
    return html`<${Table} caption=${`Jobs of workflow ${id}`} columns=${["Job", "State", ["Started", "num p2"], ["Ran", "num"]]}>
        ${jobs.map(
            (job, i) =>
                html`<tr key=${job.id} class=${i === at ? "at" : null}>
                    <th scope="row">
                        <a href=${to(["jobs", job.id])}>${job.id}</a> <bdi>${job.name ?? job.type}</bdi>
                        ${job.errorCode && html`<br /><small class="bad">${job.errorCode}</small>`}
                    </th>
                    <td><${State} state=${job.state} /></td>
                    <td class="num p2"><${Time} at=${job.startedAt} /></td>
                    <td class="num">${duration(ran(job, serverNow()))}</td>
                </tr>`,
        )}
    <//>`;
}
