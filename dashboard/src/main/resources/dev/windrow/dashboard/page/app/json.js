/** JSON as a tree and as text. Numbers are shown as they are stored. */
import { Exact } from "./api.js";
import { count, number } from "./format.js";
import { html, useState } from "./html.js";

const REDACTED = "[redacted]";

const LEVELS_OPEN = 2;
const MEMBERS_SHOWN = 50;
const MORE = 200;
const CHARACTERS_SHOWN = 1000;
/** Characters that change the direction of the text around them, and invisible ones. JSON may have escapes in their place. */
const INVISIBLE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Returns a value as indented JSON. Invisible characters are escaped. */
export function jsonText(value, indent = 2) {
    return escaped(JSON.stringify(value, null, indent));
}

/** Returns a text with escapes in place of invisible characters. */
export function escaped(text) {
    return text.replace(INVISIBLE, (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** Returns an object as JSON text. The members of the other object are JSON as it was typed, so that no number in them is rounded. */
export function withTyped(object, typed) {
    const members = JSON.stringify(object).slice(1, -1);
    const others = Object.entries(typed).map(([name, text]) => JSON.stringify(name) + ":" + text);
    return "{" + [members, ...others].filter(Boolean).join(",") + "}";
}

/** False if a browser that cannot keep the text of numbers may have rounded one of this value. */
export function isExact(value) {
    if (JSON.rawJSON || Number.isSafeInteger(value)) {
        return true;
    }
    return isNested(value) ? Object.values(value).every(isExact) : typeof value !== "number";
}

/** Counts the values that the server has hidden. */
export function redactions(value) {
    if (value === REDACTED) {
        return 1;
    }
    return isNested(value) ? Object.values(value).reduce((sum, member) => sum + redactions(member), 0) : 0;
}

function isNested(value) {
    return value !== null && typeof value === "object" && !(value instanceof Exact);
}

/** A value as nested lists that open and close. */
export function Tree({ name, value }) {
    return html`<ul class="tree">
        <${Node} name=${name} value=${value} level=${0} />
    </ul>`;
}

function Node({ name, value, level }) {
    const [open, setOpen] = useState(level < LEVELS_OPEN);
    const [most, setMost] = useState(MEMBERS_SHOWN);
    if (!isNested(value) || Object.keys(value).length === 0) {
        return html`<li><${Name} name=${name} />: <${Leaf} value=${value} /></li>`;
    }
    const members = Object.entries(value);
    const shown = members.slice(0, most);
    const left = members.length - shown.length;
    const size = (Array.isArray(value) ? "list, " : "object, ") + count(members.length, "member");
    return html`<li>
        <details open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
            <summary><${Name} name=${name} /> <span class="muted">${size}</span></summary>
            ${
                open &&
                html`<ul>
                    ${shown.map(([key, member]) => html`<${Node} key=${key} name=${key} value=${member} level=${level + 1} />`)}
                    ${
                        left > 0 &&
                        html`<li>
                            <button class="btn slim" type="button" onClick=${() => setMost(most + MORE)}>
                                Show ${number(Math.min(MORE, left))} more of ${count(members.length, "member")}
                            </button>
                        </li>`
                    }
                </ul>`
            }
        </details>
    </li>`;
}

function Name({ name }) {
    return html`<bdi class="k">${escaped(name)}</bdi>`;
}

function Leaf({ value }) {
    const [all, setAll] = useState(false);
    if (value === REDACTED) {
        return html`<span class="muted">redacted</span>`;
    }
    if (typeof value === "string") {
        const isLong = !all && value.length > CHARACTERS_SHOWN;
        return html`<bdi class="str">${jsonText(isLong ? value.slice(0, CHARACTERS_SHOWN) : value)}</bdi>${" "}
            ${
                isLong &&
                html`<button class="btn slim" type="button" onClick=${() => setAll(true)}>Show all ${number(value.length)} characters</button>`
            }`;
    }
    return html`<span class="lit">${jsonText(value)}</span>`;
}
