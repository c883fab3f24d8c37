/** When the jobs ran: one row a job, on one axis. */
import { duration, number, word } from "../../app/format.js";
import { html, useMemo, useState } from "../../app/html.js";
import { Card, Empty, Icon, Table, useNow } from "../../app/parts.js";
import { to } from "../../app/route.js";
import { ended, isStalled, shownUntil, timeLine } from "./model.js";

/** The rows of a large workflow: its critical path, and the jobs that ran longest. */
const ROWS = 30;
/** The least width of a bar, in thousandths of the axis. */
const SHORTEST = 12;

/** Returns the time line of a graph, anew each second while jobs run, and what its length means. */
export function useTimeLine(graph) {
    const finished = graph.nodes.every(ended);
    const stalled = isStalled(graph.nodes);
    const now = useNow(!finished && !stalled);
    const time = shownUntil(graph.nodes, now);
    const line = useMemo(() => timeLine(graph, time), [graph, time]);
    return { ...line, until: finished ? "" : stalled ? " so far" : " expected" };
}

export function TimeLine({ id, graph }) {
    const [all, setAll] = useState(false);
    const { spans, critical, begin, end, started } = useTimeLine(graph);
    const path = new Set(critical);
    const rows = all || graph.nodes.length <= ROWS ? graph.nodes : longest(graph.nodes, spans, path);
    const sorted = rows.filter((node) => spans.has(node.id)).sort((a, b) => spans.get(a.id).from - spans.get(b.id).from);
    if (!started) {
        return html`<${Card} title="Time line"><${Empty} title="No job has started yet.">The jobs appear here when workers claim them.<//><//>`;
    }
    const estimated = graph.nodes.some((node) => spans.get(node.id)?.estimated);
    return html`<section class="card" aria-labelledby="time-title">
        <header>
            <h2 id="time-title">Time line</h2>
            <span class="muted small">0 s to ${duration(end - begin)}${estimated ? "; pale bars are estimates" : ""}</span>
        </header>
        <${Table}
            css="gantt"
            caption="When the jobs ran, on the critical path and beside it"
            columns=${["Job", html`<span class="off">Time</span>`, ["Ran", "num"]]}
            >${sorted.map((node) => html`<${Row} key=${node.id} node=${node} span=${spans.get(node.id)} critical=${path.has(node.id)} begin=${begin} end=${end} />`)}<//
        >
        ${
            rows.length < graph.nodes.length &&
            html`<div class="foot small">
                <span class="grow">The critical path and the jobs that ran longest: ${number(rows.length)} of ${number(graph.nodes.length)}</span>
                <button class="btn slim" type="button" onClick=${() => setAll(true)}>Show all</button>
            </div>`
        }
    </section>`;
}

function longest(nodes, spans, path) {
    const beside = nodes.filter((node) => !path.has(node.id)).sort((a, b) => (spans.get(b.id)?.ran ?? -1) - (spans.get(a.id)?.ran ?? -1));
    return [...nodes.filter((node) => path.has(node.id)), ...beside.slice(0, Math.max(5, ROWS - path.size))];
}

function Row({ node, span, critical, begin, end }) {
    const scale = 1000 / Math.max(1, end - begin);
    // A short job has a bar that can be seen, also at the end of the axis.
    const width = Math.max(SHORTEST, ((span.ran ?? span.to - span.from) || 0) * scale);
    const low = node.state.toLowerCase();
    return html`<tr>
        <th scope="row">
            <span class=${"state job s-" + low}
                ><${Icon} name=${low} /><span class="off">${word(node.state)}</span
                ><a class=${critical ? "critical" : null} href=${to(["jobs", node.id])}><bdi>${node.name ?? node.type}</bdi></a></span
            ><span class="off">${critical && ", on the critical path"}</span>
        </th>
        <td>
            <svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
                <rect
                    class=${"f-" + low + (span.estimated ? " estimate" : "")}
                    x=${Math.max(0, Math.min((span.from - begin) * scale, 1000 - width)).toFixed(1)}
                    width=${width.toFixed(1)}
                    height="8"
                />
            </svg>
        </td>
        <td class="num">${span.ran === null ? (span.estimated ? "about " + duration(span.to - span.from) : "-") : duration(span.ran)}</td>
    </tr>`;
}
