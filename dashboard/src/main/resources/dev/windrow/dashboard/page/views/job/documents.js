/** The payload, the result and the metadata of a job. */
import { address, beginning, download } from "../../app/api.js";
import { toast } from "../../app/dialogs.js";
import { bytes, count } from "../../app/format.js";
import { html, useEffect, useMemo, useState } from "../../app/html.js";
import { escaped, jsonText, redactions, Tree } from "../../app/json.js";
import { useLive } from "../../app/live.js";
import { Card, Choice, Copy } from "../../app/parts.js";

/** Of a longer text the beginning is shown, and the whole is offered as a file. */
const LONGEST = 64 * 1024;

/** Confidential values are read on request only, and again if the job changes. */
export function Documents({ job, about }) {
    const [revealed, setRevealed] = useState(false);
    const live = useLive(revealed ? address(["jobs", job.id], { reveal: true }) : null, { once: true });
    useEffect(() => {
        if (revealed) {
            live.reload();
        }
    }, [job.version]);
    useEffect(() => {
        if (live.problem) {
            toast("The values are still hidden: " + live.problem.message, { error: true });
            setRevealed(false);
        }
    }, [live.problem]);
    const shown = (revealed && live.data) || job;
    const parts = { job, about, revealed: shown !== job, reveal: setRevealed };
    return html`<${Document} title="Payload" name="payload" value=${shown.payload} ...${parts} />
        ${(job.result !== null || job.state === "COMPLETED") && html`<${Document} title="Result" name="result" value=${shown.result} ...${parts} />`}
        ${job.metadata !== null && html`<${Document} title="Metadata" name="metadata" value=${shown.metadata} ...${parts} />`}`;
}

function Document({ title, name, value, job, about, revealed, reveal }) {
    const [form, setForm] = useState("tree");
    const blob = value?.["windrow:blob"] !== undefined ? value : null;
    const [text, length] = useMemo(() => (blob ? ["", 0] : [jsonText(value), jsonText(value, 0).length]), [value]);
    if (value === null) {
        return html`<${Card} title=${title}><p class="pad muted">None.</p><//>`;
    }
    if (blob || length > LONGEST) {
        return html`<${Long} title=${title} name=${name} blob=${blob} text=${text} length=${length} job=${job} about=${about} />`;
    }
    const hidden = redactions(value);
    const mayReveal = about.permissions.includes("reveal");
    const aside = html`<div class="row">
        <${Choice}
            label=${title + " as"}
            values=${[
                ["tree", "Tree"],
                ["raw", "Raw"],
            ]}
            value=${form}
            choose=${setForm}
        />
        <${Copy} text=${text} />
    </div>`;
    return html`<${Card} title=${title} aside=${aside}>
        <div class="pad">
            ${
                form === "tree"
                    ? html`<div class="scroll" tabindex="0" role="region" aria-label=${title + " as a tree"}>
                          <${Tree} name=${name} value=${value} />
                      </div>`
                    : html`<pre class="code" tabindex="0" role="region" aria-label=${title + " as text"}>${text}</pre>`
            }
        </div>
        ${
            (hidden > 0 || revealed) &&
            html`<div class="foot small">
                <span class="grow"
                    >${hidden > 0 ? `${count(hidden, "value")} ${hidden === 1 ? "is" : "are"} redacted.` : "Confidential values are shown. The audit names you as their reader."}
                    ${hidden > 0 && !mayReveal && " To see them, you need the permission reveal."}</span
                >
                ${mayReveal && html`<button class="btn slim" type="button" onClick=${() => reveal(!revealed)}>${revealed ? "Hide" : "Reveal"}</button>`}
            </div>`
        }
    <//>`;
}

/** A document that is too long for a page, or is stored apart from its job. The beginning of the latter is read on request only. */
function Long({ title, name, blob, text, length, job, about }) {
    const [busy, setBusy] = useState(false);
    const [begin, setBegin] = useState(null);
    const first = blob ? begin : text.slice(0, LONGEST);
    const may = about.permissions.includes("reveal") && name !== "metadata";
    const binary = blob?.form === "BYTES";
    const read = async () => {
        setBusy(true);
        try {
            setBegin(await beginning(address(["jobs", job.id, name]), LONGEST));
        } catch (problem) {
            toast(`The ${name} was not read: ${problem.message}`, { error: true });
        }
        setBusy(false);
    };
    const save = async () => {
        setBusy(true);
        try {
            await download(address(["jobs", job.id, name]), `job-${job.id}-${name}.${binary ? "bin" : "json"}`);
        } catch (problem) {
            toast(`The ${name} was not downloaded: ${problem.message}`, { error: true });
        }
        setBusy(false);
    };
    return html`<${Card} title=${title}>
        <div class="pad stack">
            <p>
                ${binary ? "A file" : "JSON"} of ${blob ? bytes(blob.bytes) : "about " + bytes(length)}.
                ${first === null ? ` This page shows at most the first ${bytes(LONGEST)}.` : ` The first ${bytes(LONGEST)}:`}
                ${blob && html`<br /><small class="muted wrap">SHA-256 ${blob.sha256}</small>`}
            </p>
            ${first !== null && html`<pre class="code broken" tabindex="0" role="region" aria-label=${"Beginning of the " + name}>${escaped(first)}</pre>`}
            ${
                may
                    ? html`<div class="row">
                          ${first === null && !binary && html`<button class="btn" type="button" disabled=${busy} onClick=${read}>Show the beginning</button>`}
                          <button class="btn" type="button" disabled=${busy} onClick=${save}>Download with all values</button>
                      </div>`
                    : html`<p class="muted">To download it, you need the permission reveal.</p>`
            }
        </div>
    <//>`;
}
