/** The jobs beside the graph: the same ones as text, failed first. */
import { number, word } from "../../app/format.js";
import { html, useMemo, useState } from "../../app/html.js";
import { breakable, Icon, Table } from "../../app/parts.js";
import { to } from "../../app/route.js";
import { Fact } from "./fact.js";
import { byUrgency, openParents } from "./model.js";

const STEP = 100;

export function Jobs({ id, graph }) {
    const [shown, setShown] = useState(STEP);
    const sorted = useMemo(() => byUrgency(graph.nodes), [graph]);
    const open = useMemo(() => openParents(graph), [graph]);
    const left = sorted.length - shown;
    return html`<section class="card" aria-labelledby="jobs-title">
        <header>
            <h2 id="jobs-title">Jobs</h2>
            <span class="muted small">failed first</span>
        </header>
        <div class="scroll" tabindex="0" role="region" aria-label="Jobs of the workflow">
            <${Table} caption=${`Jobs of workflow ${id}, failed first`} columns=${["Job", ["Ran", "num"]]}>
                ${sorted.slice(0, shown).map((node) => html`<${Row} key=${node.id} node=${node} open=${open.get(node.id)} />`)}
            <//>
            ${
                left > 0 &&
                html`<div class="foot">
                    <span class="grow">${number(shown)} of ${number(sorted.length)}</span>
                    <button class="btn slim" type="button" onClick=${() => setShown(shown + STEP)}>Show ${number(Math.min(STEP, left))} more</button>
                </div>`
            }
        </div>
    </section>`;
}

function Row({ node, open }) {
    return html`<tr>
        <th scope="row">
            <span class=${"state job s-" + node.state.toLowerCase()}
                ><${Icon} name=${node.state.toLowerCase()} /><span class="off">${word(node.state)}</span
                ><a href=${to(["jobs", node.id])}
                    ><bdi>${node.name ?? node.type}</bdi> <span class=${node.name ? "off" : "muted small"}>${node.id}</span></a
                ></span
            >
        </th>
        <td class="fact small muted"><${Fact} node=${node} open=${open} form=${breakable} /></td>
    </tr>`;
}
