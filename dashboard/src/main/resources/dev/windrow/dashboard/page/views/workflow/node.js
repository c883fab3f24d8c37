/** A node of the graph: icon, name and one fact. Its colour, its edge and its icon say the state. */
import { number, word } from "../../app/format.js";
import { html, useMemo } from "../../app/html.js";
import { to } from "../../app/route.js";
import { Fact } from "./fact.js";
import { NODE_HEIGHT, NODE_WIDTH } from "./layout.js";
import { BY_URGENCY } from "./states.js";

const TEXT_X = 28;
const TEXT_WIDTH = NODE_WIDTH - TEXT_X - 8;
/** The fonts of the style sheet. */
const NAME = "500 12.5px system-ui, sans-serif";
const FACT = "11px system-ui, sans-serif";
const pen = document.createElement("canvas").getContext("2d");

/** Cuts a text that is wider than a node. SVG does not do this by itself. */
function fitted(text, font) {
    pen.font = font;
    const width = pen.measureText(text).width;
    if (width <= TEXT_WIDTH) {
        return text;
    }
    let end = Math.ceil((text.length * TEXT_WIDTH) / width);
    while (end > 1 && pen.measureText(text.slice(0, end) + "\u2026").width > TEXT_WIDTH) {
        end--;
    }
    return text.slice(0, end) + "\u2026";
}

function fittedFact(text) {
    return fitted(text, FACT);
}

export function JobNode({ node, open, place }) {
    const title = `${node.id} ${node.name ?? node.type}, ${word(node.state).toLowerCase()}`;
    return useMemo(
        () =>
            html`<${Node} href=${to(["jobs", node.id])} state=${node.state} place=${place} title=${title} name=${node.name ?? node.type}>
                <${Fact} node=${node} open=${open} form=${fittedFact} />
            <//>`,
        [node, open, place],
    );
}

export function GroupNode({ group, workflow, place }) {
    const states = BY_URGENCY.filter((state) => group.states[state] > 0);
    const facts = states.map((state) => `${number(group.states[state])} ${word(state).toLowerCase()}`);
    return html`<${Node}
        href=${to("jobs", { workflow, type: group.type })}
        state=${group.state}
        place=${place}
        title=${`${group.type}: ${facts.join(", ")}`}
        name=${group.type}
        >${fittedFact(facts.slice(0, 2).join(", "))}<//
    >`;
}

function Node({ href, state, place: [x, y], title, name, children }) {
    const low = state.toLowerCase();
    return html`<a href=${href} tabindex="-1"
        ><g class=${"node n-" + low} transform=${`translate(${(x - NODE_WIDTH / 2).toFixed(1)} ${(y - NODE_HEIGHT / 2).toFixed(1)})`}>
            <title>${title}</title>
            <rect width=${NODE_WIDTH} height=${NODE_HEIGHT} rx="6" />
            <g class=${"s-" + low}
                ><svg class="i" x="10" y="6" width="13" height="13"><use href=${"#i-" + low}></use></svg
            ></g>
            <svg x=${TEXT_X} width=${TEXT_WIDTH} height=${NODE_HEIGHT}>
                <text y="17">${fitted(name, NAME)}</text>
                <text class="t2" y="32">${children}</text>
            </svg>
        </g></a
    >`;
}
