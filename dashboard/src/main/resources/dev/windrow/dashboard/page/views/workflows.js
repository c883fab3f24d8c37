/** The list of workflows, and the page of one of them: #/workflows/ID. */
import { address } from "../app/api.js";
import { count, number } from "../app/format.js";
import { html } from "../app/html.js";
import { useLive } from "../app/live.js";
import { Empty, Head, Loaded, State, Table, Time } from "../app/parts.js";
import { go, replace, to } from "../app/route.js";
import { useRows } from "../app/rows.js";
import { StateBar, worst } from "./workflow/states.js";
import Workflow from "./workflow/page.js";

const PAGE = 50;

export default function Workflows({ about, path, query }) {
    return path[1] ? html`<${Workflow} key=${path[1]} about=${about} id=${path[1]} query=${query} />` : html`<${List} query=${query} />`;
}

const TABS = [
    ["", "All"],
    ["unfinished", "Unfinished"],
    ["failed", "With failed jobs"],
];

function List({ query }) {
    const filter = { type: query.get("type"), unfinished: query.get("unfinished"), failed: query.get("failed") };
    const after = query.get("after");
    const live = useLive(address("workflows", { ...filter, after, limit: PAGE }));
    const filtered = Object.values(filter).some(Boolean);
    const current = TABS.find(([name]) => name && filter[name] === "true")?.[0] ?? "";
    return html`<${Head} title="Workflows" />
        <div class="row between">
            <nav class="tabs" aria-label="Workflows">
                ${TABS.map(
                    ([name, label]) =>
                        html`<a
                            href=${to("workflows", { type: filter.type, [name]: name && "true" })}
                            aria-current=${name === current ? "page" : null}
                            >${label}</a
                        >`,
                )}
            </nav>
            <${TypeFilter} filter=${filter} />
        </div>
        <${Loaded} live=${live}>
            ${(page) =>
                page.workflows.length === 0
                    ? html`<section class="card"><${NoWorkflow} filtered=${filtered} after=${after} page=${page} filter=${filter} /></section>`
                    : html`<section class="card" aria-label="Workflows">
                          <${Rows} workflows=${page.workflows} />
                          <${Foot} page=${page} after=${after} filter=${filter} />
                      </section>`}
        <//>`;
}

/** The filter is applied on Enter, or when the focus leaves the field, so that no list is read for half a word. */
function TypeFilter({ filter }) {
    const set = (event) => {
        const type = event.target.value.trim();
        if (type !== (filter.type ?? "")) {
            replace(to("workflows", { ...filter, type }));
        }
    };
    return html`<label class="row small"
        ><span>Type of the first job</span
        ><input
            class="input type-filter"
            key=${filter.type}
            defaultValue=${filter.type ?? ""}
            maxlength="100"
            placeholder="all types"
            autocomplete="off"
            onChange=${set}
    /></label>`;
}

function NoWorkflow({ filtered, after, page, filter }) {
    if (page.next) {
        return html`<${Empty} title=${`Looked at ${count(page.looked, "workflow")}. None fits.`}
            ><a class="btn" href=${to("workflows", { ...filter, after: page.next })}>Continue</a><//
        >`;
    }
    if (filtered || after) {
        return html`<${Empty} title="No workflow fits."><a href=${to("workflows")}>Show all workflows</a><//>`;
    }
    return html`<${Empty} title="No workflow yet."
        >Submit one from your application with <code class="nowrap">windrow.submit(new Workflow())</code>, or with POST workflows.<//
    >`;
}

function Rows({ workflows }) {
    const at = useRows(workflows.length, (i) => go(to(["workflows", workflows[i].id])));
    return html`<${Table}
        caption="Workflows, the newest first"
        columns=${["Workflow", ["Jobs by state", "p2"], ["Ended", "num"], ["Failed", "num"], ["Submitted", "num p2"]]}
    >
        ${workflows.map((workflow, i) => html`<${Row} key=${workflow.id} workflow=${workflow} at=${i === at} />`)}
    <//>`;
}

function Row({ workflow, at }) {
    const { id, states, capped } = workflow;
    const atLeast = capped ? "at least " : "";
    return html`<tr class=${at ? "at" : null}>
        <th scope="row">
            <a href=${to(["workflows", id])}><bdi>${workflow.name ?? workflow.type}</bdi></a>
            <br /><small class="muted">${id}${workflow.name && html`, <bdi>${workflow.type}</bdi>`}</small>
            <small class="only-s small"
                ><${State} state=${worst(states)} />${" "}<span class="muted"><${Time} at=${workflow.createdAt} /></span
            ></small>
        </th>
        <td class="p2 states">
            <${State} state=${worst(states)} />
            <${StateBar} states=${states} />
        </td>
        <td class="num">${atLeast}<a href=${to("jobs", { workflow: id })}>${number(workflow.ended)} of ${number(workflow.jobs)}</a></td>
        <td class="num">
            ${states.FAILED > 0 ? html`<a class="bad" href=${to("jobs", { workflow: id, state: "FAILED" })}>${number(states.FAILED)}</a>` : "0"}
        </td>
        <td class="num p2"><${Time} at=${workflow.createdAt} /></td>
    </tr>`;
}

function Foot({ page, after, filter }) {
    if (!page.next && !after) {
        return null;
    }
    return html`<div class="foot">
        <span class="grow">Looked at ${count(page.looked, "workflow")}</span>
        ${after && html`<a class="btn slim" href=${to("workflows", filter)}>Newest</a>`}
        ${page.next && html`<a class="btn slim" href=${to("workflows", { ...filter, after: page.next })}>Older</a>`}
    </div>`;
}
