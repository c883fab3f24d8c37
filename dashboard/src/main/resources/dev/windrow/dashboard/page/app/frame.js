/** The side bar, the palette, the help of the keys. */
import { Dialog } from "./dialogs.js";
import { number } from "./format.js";
import { html, useState } from "./html.js";
import { VIEW_KEYS, useKeys } from "./keys.js";
import { Icon, Table } from "./parts.js";
import { go, to } from "./route.js";
import { REFRESH_SECONDS, set, useSettings } from "./settings.js";

export const VIEWS = [
    [
        ["overview", "Overview"],
        ["jobs", "Jobs"],
        ["failures", "Failures"],
        ["workflows", "Workflows"],
    ],
    [
        ["schedules", "Schedules"],
        ["queues", "Queues & limits"],
        ["workers", "Workers"],
    ],
    [
        ["audit", "Audit"],
        ["system", "System"],
    ],
];

const NAMES = Object.fromEntries(VIEWS.flat());
const THEMES = ["auto", "light", "dark"];

function next(values, value) {
    return values[(values.indexOf(value) + 1) % values.length];
}

/** The side bar; above the page on a narrow screen. */
export function Side({ about, view, problems }) {
    const settings = useSettings();
    const [open, setOpen] = useState(false);
    const [overlay, setOverlay] = useState(null);
    useKeys({
        "ctrl+k": () => setOverlay("palette"),
        "?": () => setOverlay("help"),
        ...Object.fromEntries(Object.entries(VIEW_KEYS).map(([key, name]) => ["g " + key, () => go(to(name))])),
    });
    // A key may open the next one before the browser says that the last one is closed.
    const close = (name) => () => setOverlay((shown) => (shown === name ? null : shown));
    return html`<header class=${open ? "side open" : "side"}>
        <div class="name">
            <a class="brand" href="#/overview" title="Windrow"><${Icon} name="logo" /><span class="lb">Windrow</span></a>
            ${about?.label && html`<span class="env" title=${about.label}>${about.label}</span>`}
        </div>
        <button class="menu" type="button" aria-expanded=${open} aria-label="Menu" onClick=${() => setOpen(!open)}><${Icon} name="menu" /></button>
        <nav class="nav" aria-label="Main" onClick=${(event) => event.target.closest("a") && setOpen(false)}>
            <div class="links">
                <button class="tool" type="button" title="Search and commands" onClick=${() => setOverlay("palette")}>
                    <${Icon} name="search" /><span class="lb grow">Search</span><kbd>Ctrl K</kbd>
                </button>
            </div>
            ${VIEWS.map(
                (group) =>
                    html`<div class="links">
                        ${group.map(
                            ([name, label]) =>
                                html`<a href=${to(name)} title=${label} aria-current=${view === name ? "page" : null}>
                                    <${Icon} name=${name} /><span class="lb">${label}</span>
                                    ${name === "overview" && problems > 0 && html`<b class="bad"><span class="off">problems: </span>${number(problems)}</b>`}
                                </a>`,
                        )}
                    </div>`,
            )}
        </nav>
        <div class="links tools">
            <${Tool}
                icon="live"
                label="Refresh"
                value=${settings.refresh ? settings.refresh + " s" : "off"}
                onClick=${() => set({ refresh: next(REFRESH_SECONDS, settings.refresh) })}
            />
            <${Tool}
                icon="zone"
                label="Times"
                value=${settings.zone === "utc" ? "UTC" : "local"}
                onClick=${() => set({ zone: settings.zone === "utc" ? "local" : "utc" })}
            />
            <${Tool} icon="sun" label="Theme" value=${settings.theme} onClick=${() => set({ theme: next(THEMES, settings.theme) })} />
            <button class="tool" type="button" title="Keyboard help" onClick=${() => setOverlay("help")}>
                <${Icon} name="help" /><span class="lb grow">Keyboard help</span><kbd>?</kbd>
            </button>
        </div>
        ${overlay === "palette" && html`<${Palette} close=${close("palette")} />`} ${overlay === "help" && html`<${Help} close=${close("help")} />`}
    </header>`;
}

function Tool({ icon, label, value, onClick }) {
    return html`<button class="tool" type="button" title=${label + ": " + value} onClick=${onClick}>
        <${Icon} name=${icon} /><span class="lb grow">${label}</span><small class="lb">${value}</small>
    </button>`;
}

/** Finds pages, a job by its id, and jobs by an error code. */
function Palette({ close }) {
    const [text, setText] = useState("");
    const [at, setAt] = useState(0);
    const found = entries(text.trim());
    const selected = Math.min(at, found.length - 1);
    const open = (entry) => {
        close();
        go(entry.href);
    };
    const pressed = (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) {
            event.preventDefault();
            setAt((selected + step + found.length) % found.length);
        } else if (event.key === "Enter" && found[selected]) {
            event.preventDefault();
            open(found[selected]);
        }
    };
    return html`<${Dialog} palette title=${html`<span class="off">Search and commands</span>`} close=${close}>
        <input
            class="input"
            autofocus
            role="combobox"
            aria-expanded="true"
            aria-controls="palette"
            aria-activedescendant=${found.length ? "palette-" + selected : null}
            aria-label="A page, a job id, an error code"
            placeholder="A page, a job id, an error code"
            value=${text}
            onInput=${(event) => {
                setText(event.target.value);
                setAt(0);
            }}
            onKeyDown=${pressed}
        />
        <ul class="list" id="palette" role="listbox" aria-label="Found">
            ${found.map(
                (entry, i) =>
                    html`<li key=${entry.href} id=${"palette-" + i} role="option" aria-selected=${i === selected} onClick=${() => open(entry)}>
                        <span>${entry.label}</span><small class="muted">${entry.hint}</small>
                    </li>`,
            )}
        </ul>
    <//>`;
}

function entries(text) {
    const found = [];
    if (/^\d+$/.test(text)) {
        found.push({ label: "Job " + text, hint: "by id", href: to(["jobs", text]) });
    }
    if (/^[A-Z0-9_]+:[A-Z0-9_.:-]*$/.test(text)) {
        found.push({ label: "Jobs failed with " + text, hint: "error code", href: to("jobs", { state: "FAILED", code: text }) });
    }
    for (const [key, name] of Object.entries(VIEW_KEYS)) {
        if (NAMES[name].toLowerCase().includes(text.toLowerCase())) {
            found.push({ label: NAMES[name], hint: "g " + key, href: to(name) });
        }
    }
    if (text && "new job".includes(text.toLowerCase())) {
        found.push({ label: "New job", hint: "", href: to("jobs", { new: "1" }) });
    }
    if (text && found.length === 0) {
        found.push({ label: "Jobs of type " + text, hint: "type", href: to("jobs", { type: text }) });
    }
    return found;
}

function Help({ close }) {
    const { keys } = useSettings();
    const rows = [
        ["Ctrl K", "Search and commands"],
        ["/", "Search in this view"],
        ["j k", "Next, previous row"],
        ["x", "Select the row"],
        ["Enter", "Open the row"],
        ["?", "This help"],
        ...Object.entries(VIEW_KEYS).map(([key, name]) => ["g " + key, NAMES[name]]),
    ];
    return html`<${Dialog} title="Keys" close=${close}>
        <${Table} caption="Keys">
            ${rows.map(
                ([key, meaning]) =>
                    html`<tr>
                        <th scope="row">${key.split(" ").map((one) => html`<kbd>${one}</kbd> `)}</th>
                        <td>${meaning}</td>
                    </tr>`,
            )}
        <//>
        <label class="row"
            ><input type="checkbox" checked=${keys} onChange=${(event) => set({ keys: event.target.checked })} />Single keys work</label
        >
        <div class="acts"><button class="btn" type="button" onClick=${close}>Close</button></div>
    <//>`;
}
