/** The dialogs of the list that are seldom opened: its columns, and the export. */
import { address, download } from "../../app/api.js";
import { Dialog } from "../../app/dialogs.js";
import { html, useState } from "../../app/html.js";
import { Failed } from "../../app/parts.js";
import { set, useSettings } from "../../app/settings.js";
import { listed, shown } from "./filter.js";
import { ROWS } from "./page.js";
import { COLUMNS, USUAL_COLUMNS } from "./table.js";

/** Saves what matches as a file. The browser holds all of it until the end. */
export function Export({ filter, close }) {
    const [busy, setBusy] = useState(false);
    const [problem, setProblem] = useState(null);
    const save = async () => {
        setBusy(true);
        setProblem(null);
        try {
            await download(address("export", listed(filter)), "jobs.ndjson");
            close();
        } catch (failure) {
            setProblem(failure);
            setBusy(false);
        }
    };
    return html`<${Dialog} title="Export the jobs" close=${close}>
        <p>
            Saves all jobs of ${filter.length ? html`<bdi class="mono">${filter.map(shown).join(" ")}</bdi>` : "the store"} with their whole
            histories, a line of JSON each. Confidential values are in the file. For more than some ten thousand jobs use the command
            <code>windrow export</code>.
        </p>
        ${problem && html`<${Failed} problem=${problem} />`}
        <div class="acts">
            <button class="btn" type="button" onClick=${close}>Cancel</button>
            <button class="btn main-act" type="button" autofocus disabled=${busy} onClick=${save}>${busy ? "Saving" : "Save the file"}</button>
        </div>
    <//>`;
}

/** Chooses the columns and the number of rows, which the browser keeps. */
export function Columns({ close }) {
    const { columns, rows } = useSettings();
    const chosen = columns ?? USUAL_COLUMNS;
    const toggle = (name) => set({ columns: COLUMNS.map((column) => column.name).filter((one) => (one === name) !== chosen.includes(one)) });
    return html`<${Dialog} title="Columns" close=${close}>
        <fieldset class="choices">
            <legend class="off">Columns</legend>
            ${COLUMNS.map(
                ({ name, label }) =>
                    html`<label class="row"
                        ><input type="checkbox" checked=${chosen.includes(name)} onChange=${() => toggle(name)} />${label}</label
                    >`,
            )}
        </fieldset>
        <div class="row">
            Rows
            <div class="tabs" role="group" aria-label="Rows of a page">
                ${ROWS.map(
                    (value) => html`<button type="button" aria-pressed=${value === rows} onClick=${() => set({ rows: value })}>${value}</button>`,
                )}
            </div>
        </div>
        <div class="acts">
            <button class="btn" type="button" onClick=${() => set({ columns: null, rows: 50 })}>Reset</button>
            <button class="btn main-act" type="button" onClick=${close}>Close</button>
        </div>
    <//>`;
}
