/** One workflow: progress, graph, the list beside it, time line, and the actions on all its jobs. */
import { address } from "../../app/api.js";
import { count, number, word } from "../../app/format.js";
import { html, useEffect, useMemo } from "../../app/html.js";
import { useLive } from "../../app/live.js";
import { Failed, Head, Loaded, Skeleton, State, STATES, Time } from "../../app/parts.js";
import { to } from "../../app/route.js";
import { Actions } from "./actions.js";
import { Graph } from "./graph.js";
import { Jobs } from "./jobs.js";
import { JobTable } from "./jobtable.js";
import { known } from "./model.js";
import { StateBar } from "./states.js";
import { TimeLine } from "./timeline.js";

/** The largest workflow that is drawn. The jobs of a larger one are a table, a page at a time. */
const DRAWN = 2000;

export default function Workflow({ about, id, query }) {
    const live = useLive(address(["workflows", id]));
    const drawn = live.data && live.data.jobs <= DRAWN;
    const graph = useLive(drawn ? address(["workflows", id, "graph"]) : null);
    const reload = () => {
        live.reload();
        graph.reload();
    };
    const oldest = useLive(live.data && !drawn ? address("jobs", { workflow: id, order: "oldest", limit: 1 }) : null, { once: true });
    const first = graph.data?.nodes[0] ?? oldest.data?.jobs[0];
    const name = first ? (first.name ?? first.type) : "Workflow";
    useEffect(() => {
        document.title = `${name} ${id} - Windrow`;
    }, [name]);
    return html`<${Head}
            crumbs=${html`<a href=${to("workflows")}>Workflows</a> / ${id}`}
            title=${html`<bdi>${name}</bdi> <span class="muted">${id}</span>`}
            facts=${first && html`<${Facts} nodes=${graph.data?.nodes ?? [first]} finished=${live.data.finished} />`}
            actions=${live.data && html`<${Actions} about=${about} workflow=${live.data} reload=${reload} />`}
        />
        <${Loaded} live=${live}>
            ${(workflow) => html`<${Progress} workflow=${workflow} /> ${drawn ? html`<${Drawn} live=${graph} id=${id} query=${query} />` : html`<${JobTable} workflow=${workflow} query=${query} />`}`}
        <//>`;
}

function Facts({ nodes, finished }) {
    const last = (key) => nodes.reduce((latest, node) => (node[key] > latest ? node[key] : latest), "");
    const end = finished && last("finishedAt");
    return [html`Submitted <${Time} at=${nodes[0].createdAt} />`, end && html`, ended <${Time} at=${end} />`];
}

function Progress({ workflow }) {
    const { id, states } = workflow;
    return html`<section class="card pad stack" aria-label="Progress">
        <div class="row between">
            <p>
                <b>${number(workflow.ended)} of ${number(workflow.jobs)}</b> jobs have
                ended${
                    states.FAILED > 0 &&
                    html`, <a class="bad" href=${to("jobs", { workflow: id, state: "FAILED" })}>${number(states.FAILED)} failed</a>`
                }
            </p>
            <span class="row">
                ${STATES.filter((state) => states[state] > 0).map(
                    (state) =>
                        html`<a key=${state} class="pill row tight" href=${to("jobs", { workflow: id, state })}
                            ><${State} state=${state}>${word(state)}<//> <b>${number(states[state])}</b></a
                        >`,
                )}
            </span>
        </div>
        <${StateBar} states=${states} />
    </section>`;
}

function Drawn({ live, id, query }) {
    const graph = useMemo(() => live.data && known(live.data), [live.data]);
    if (!graph) {
        return live.problem ? html`<${Failed} problem=${live.problem} retry=${live.reload} />` : html`<${Skeleton} />`;
    }
    const outside = live.data.edges.length - graph.edges.length;
    return html`<div class="sided beside">
            <${Graph}
                id=${id}
                graph=${graph}
                query=${query}
                note=${outside > 0 && `${count(outside, "dependency", "dependencies")} on other workflows not drawn`}
            />
            <${Jobs} id=${id} graph=${graph} />
        </div>
        <${TimeLine} id=${id} graph=${graph} />`;
}
