/** The graph of a workflow: its jobs, or above 300 of them one node for each type, from left to right. */
import { count, duration } from "../../app/format.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef } from "../../app/html.js";
import { useLate } from "../../app/parts.js";
import { replace, to } from "../../app/route.js";
import { NODE_HEIGHT, NODE_WIDTH, useLayout } from "./layout.js";
import { byType, openParents, shownUntil, timeLine } from "./model.js";
import { GroupNode, JobNode } from "./node.js";
import { useTimeLine } from "./timeline.js";
import { useView } from "./view.js";

/** The most jobs that are drawn one by one, unless a person asks for it. */
const SINGLE_JOBS = 300;
const NOWHERE = { width: 1, height: 1 };

export function Graph({ id, graph, query, note }) {
    const grouped = (query.get("group") ?? String(graph.nodes.length > SINGLE_JOBS)) === "true";
    const follow = query.get("follow") !== "false";
    const set = (changes) => replace(to(["workflows", id], { ...Object.fromEntries(query), ...changes }));
    const drawn = useMemo(() => (grouped ? byType(graph) : graph), [graph, grouped]);
    const [layout, failed] = useLayout(drawn);
    const frame = useRef(null);
    const fitted = useRef(null);
    const { view, handlers, fit, zoom, show, start } = useView(frame, layout ?? NOWHERE, () => follow && set({ follow: "false" }));

    useLayoutEffect(() => {
        // A workflow that grows does not move under the pointer.
        if (layout && fitted.current !== grouped) {
            fitted.current = grouped;
            start();
            performance.mark("windrow-graph"); // for measurements
        }
    }, [layout]);

    const running = layout ? drawn.nodes.filter((node) => node.state === "RUNNING" && layout.places.has(node.id)).map((node) => node.id) : [];
    useEffect(() => {
        if (follow && running.length > 0) {
            show(around(running.map((one) => layout.places.get(one))));
        }
    }, [follow, running.join(" "), layout]);

    const what = grouped ? count(drawn.nodes.length, "type") : count(graph.nodes.length, "job");
    return html`<section class="card" aria-labelledby="graph-title">
        <header>
            <h2 id="graph-title">Graph</h2>
            <div class="row">
                <${Check} label="Group by type" checked=${grouped} set=${(on) => set({ group: String(on) })} />
                <${Check} label="Follow running" checked=${follow} set=${(on) => set({ follow: on ? null : "false" })} />
                <div class="row">
                    <button class="btn slim" type="button" aria-label="Zoom out" onClick=${() => zoom(0.8)}>-</button>
                    <button class="btn slim" type="button" aria-label="Zoom in" onClick=${() => zoom(1.25)}>+</button>
                    <button class="btn slim" type="button" onClick=${() => fit()}>Fit</button>
                </div>
            </div>
        </header>
        <div
            class=${layout && layout.height < 260 ? "canvas-box low" : "canvas-box"}
            ref=${frame}
            tabindex="0"
            role="region"
            aria-label=${`Graph of ${what}; the list has the same jobs. Arrows move it, plus and minus zoom, 0 fits it.`}
            ...${handlers}
        >
            ${failed && html`<p class="pad">The graph could not be drawn. The list has the same jobs.</p>`}
            ${!layout && !failed && html`<${Waiting} />`}
            ${
                layout &&
                html`<svg class="canvas" aria-hidden="true">
                    <g transform=${`translate(${view.x.toFixed(1)} ${view.y.toFixed(1)}) scale(${view.scale.toFixed(4)})`}>
                        <${Drawing} id=${id} drawn=${drawn} grouped=${grouped} layout=${layout} />
                    </g>
                </svg>`
            }
        </div>
        <${Legend} graph=${graph} grouped=${grouped} note=${note} />
    </section>`;
}

/** It appears only if the layout takes longer than 200 ms. */
function Waiting() {
    return useLate() && html`<p class="pad muted">The graph is drawn as soon as its layout is computed. The list has the same jobs.</p>`;
}

function Check({ label, checked, set }) {
    return html`<label class="row small"
        ><span class="check"><input type="checkbox" checked=${checked} onChange=${(event) => set(event.target.checked)} /></span>${label}</label
    >`;
}

function around(places) {
    const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
    return [Math.min(...xs) - NODE_WIDTH / 2, Math.min(...ys) - NODE_HEIGHT / 2, Math.max(...xs) + NODE_WIDTH / 2, Math.max(...ys) + NODE_HEIGHT / 2];
}

/** Edges and nodes. They do not change while the graph is moved. */
function Drawing({ id, drawn, grouped, layout }) {
    return useMemo(() => {
        const open = grouped ? new Map() : openParents(drawn);
        const states = new Map(drawn.nodes.map((node) => [node.id, node.state]));
        const { critical } = grouped ? { critical: [] } : timeLine(drawn, shownUntil(drawn.nodes, Date.now()));
        const path = new Set(critical.slice(1).map((job, i) => critical[i] + " " + job));
        const lines = layout.edges.map(({ from, to: child, d }) => ({
            d,
            open: states.get(from) !== "COMPLETED",
            path: path.has(from + " " + child),
        }));
        lines.sort((a, b) => a.path - b.path); // the critical path lies above
        return html`${lines.map((line) => html`<path class=${"edge" + (line.path ? " path" : "") + (line.open ? " open-edge" : "")} d=${line.d} />`)}
        ${drawn.nodes
            .filter((node) => layout.places.has(node.id))
            .map((node) =>
                grouped
                    ? html`<${GroupNode} key=${node.id} group=${node} workflow=${id} place=${layout.places.get(node.id)} />`
                    : html`<${JobNode} key=${node.id} node=${node} open=${open.get(node.id)} place=${layout.places.get(node.id)} />`,
            )}`;
    }, [drawn, layout]);
}

function Legend({ graph, grouped, note }) {
    const { begin, end, started, until } = useTimeLine(graph);
    const length = !started ? "" : `, ${duration(end - begin)}${until}`;
    return html`<div class="foot small">
        ${
            !grouped &&
            html`<span class="key"
                ><svg viewBox="0 0 16 8" aria-hidden="true"><path class="edge path" d="M0 4h16" /></svg>${"critical path" + length}</span
            >`
        }
        <span class="key"
            ><svg viewBox="0 0 16 8" aria-hidden="true"><path class="edge open-edge" d="M0 4h16" /></svg>parent not completed</span
        >
        ${note && html`<span>${note}</span>`}
    </div>`;
}
