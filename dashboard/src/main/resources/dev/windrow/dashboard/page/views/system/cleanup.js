/** A pass of retention now: first a count, then a question, then the deletion with its progress. */
import { address, change } from "../../app/api.js";
import { Dialog } from "../../app/dialogs.js";
import { count, number, word } from "../../app/format.js";
import { Field, Reason, fieldOf, takeFocus } from "../../app/forms.js";
import { html, useEffect, useRef, useState } from "../../app/html.js";
import { Bar, Card, ENDED, Empty, Failed, State } from "../../app/parts.js";

const NOTHING = { deleted: Object.fromEntries(ENDED.map((state) => [state, 0])), kept: 0 };

function total({ deleted }) {
    return ENDED.reduce((sum, state) => sum + deleted[state], 0);
}

export function Cleanup({ about }) {
    const [fields, setFields] = useState({ completed: "", failed: "", cancelled: "", type: "" });
    const [state, setState] = useState({ busy: false, preview: null, problem: null });
    const [open, setOpen] = useState(false);
    if (!about.permissions.includes("destroy")) {
        return html`<${Card} title="Cleanup"
            ><${Empty} title="You may not delete jobs.">Cleanup needs the permission destroy. Workers delete old jobs by the rules.<//><//
        >`;
    }
    const body = Object.fromEntries(Object.entries(fields).flatMap(([name, text]) => (text.trim() ? [[name, text.trim()]] : [])));
    const input = (name) => ({
        name,
        value: fields[name],
        problem: state.problem,
        onInput: (event) => {
            setFields({ ...fields, [name]: event.target.value });
            setState({ busy: false, preview: null, problem: null });
        },
    });
    const preview = async (event) => {
        event?.preventDefault();
        setState({ busy: true, preview: null, problem: null });
        try {
            setState({ busy: false, preview: await change("POST", address("cleanup"), { ...body, dryRun: true }), problem: null });
        } catch (problem) {
            setState({ busy: false, preview: null, problem });
        }
    };
    return html`<${Card} title="Cleanup">
        <form class="pad stack" onSubmit=${preview} novalidate>
            <p id="cleanup-ages">Delete jobs that ended longer ago than:</p>
            <div class="three" role="group" aria-labelledby="cleanup-ages">
                ${ENDED.map((one) => html`<${Field} key=${one} label=${word(one)} placeholder="by the rules" ...${input(one.toLowerCase())} />`)}
            </div>
            <${Field} label="Type" placeholder="all types" maxlength="100" ...${input("type")} />
            <p class="small muted">An age is a number with s, m, h or d, such as 7d. With forever, jobs of this state stay.</p>
            ${state.problem && !fieldOf(state.problem, Object.keys(fields)) && html`<${Failed} problem=${state.problem} />`}
            <div class="stack tight">
                <div role="status" class="stack tight">${state.preview && html`<${Preview} preview=${state.preview} />`}</div>
                <div class="row">
                    <button class="btn" disabled=${state.busy}>${state.busy ? "Counting" : "Count the jobs"}</button>
                    ${
                        state.preview &&
                        total(state.preview) > 0 &&
                        html`<button class="btn danger" type="button" onClick=${() => setOpen(true)}>
                            Delete ${count(total(state.preview), "job")}
                        </button>`
                    }
                </div>
            </div>
        </form>
        ${
            open &&
            html`<${CleanupDialog}
                body=${body}
                preview=${state.preview}
                close=${(changed) => {
                    setOpen(false);
                    if (changed) {
                        preview();
                    }
                }}
            />`
        }
    <//>`;
}

function Counts({ result }) {
    return html`<dl class="facts">
        ${ENDED.map(
            (state) =>
                html`<dt><${State} state=${state} /></dt>
                    <dd>${number(result.deleted[state])}</dd>`,
        )}
    </dl>`;
}

function Kept({ jobs }) {
    return jobs > 0 && `${count(jobs, "old job")} ${jobs === 1 ? "stays" : "stay"}: other jobs need ${jobs === 1 ? "it" : "them"}.`;
}

function Preview({ preview }) {
    return total(preview) === 0
        ? html`<p><b>No job is old enough.</b> <${Kept} jobs=${preview.kept} /></p>`
        : html`<p>
                  <b>${preview.complete ? "" : "At least "}${count(total(preview), "job")} would be deleted.</b>${" "}<${Kept}
                      jobs=${preview.kept}
                  />${!preview.complete && " Counting stopped after 10 s."}
              </p>
              <${Counts} result=${preview} />`;
}

/** A request works for 10 seconds at most, so the page repeats it until all is done or the person stops it. */
function CleanupDialog({ body, preview, close }) {
    const [phase, setPhase] = useState("ask");
    const [typed, setTyped] = useState("");
    const [progress, setProgress] = useState({ ...NOTHING, problem: null });
    const stopped = useRef(false);
    useEffect(() => () => (stopped.current = true), []);
    const jobs = total(preview);

    const run = async (event) => {
        event.preventDefault();
        const reason = new FormData(event.target).get("reason") || undefined;
        stopped.current = false;
        setPhase("run");
        try {
            for (let complete = false; !complete && !stopped.current;) {
                const result = await change("POST", address("cleanup"), { ...body, reason });
                complete = result.complete;
                setProgress((last) => ({
                    deleted: Object.fromEntries(ENDED.map((state) => [state, last.deleted[state] + result.deleted[state]])),
                    kept: result.kept,
                    problem: null,
                }));
            }
        } catch (problem) {
            setProgress((last) => ({ ...last, problem }));
        }
        setPhase("end");
    };
    const leave = () => {
        stopped.current = true;
        close(phase !== "ask");
    };
    if (phase === "ask") {
        return html`<${Dialog} title=${`Delete ${count(jobs, "job")} with their history?`} close=${leave}>
            <form class="stack" onSubmit=${run}>
                <p>This cannot be undone. One line of the audit stays for each part. Jobs that get old enough meanwhile are deleted, too.</p>
                <${Counts} result=${preview} />
                ${body.type && html`<p class="wrap">Of type <bdi>${body.type}</bdi> only.</p>`}
                <${Reason} />
                <${Field} label=${`Type ${jobs} to delete`} inputmode="numeric" value=${typed} onInput=${(event) => setTyped(event.target.value)} />
                <div class="acts">
                    <button class="btn" type="button" onClick=${leave}>Keep them</button>
                    <button class="btn danger main-act" disabled=${typed.replaceAll(",", "").trim() !== String(jobs)}>
                        Delete ${count(jobs, "job")}
                    </button>
                </div>
            </form>
        <//>`;
    }
    const done = total(progress);
    const sum =
        phase === "run"
            ? `${number(done)} of about ${number(Math.max(jobs, done))} jobs deleted.`
            : stopped.current
              ? "Stopped. The rest stays until the next pass."
              : "";
    return html`<${Dialog} title=${phase === "run" ? `Deleting ${count(jobs, "job")}` : `${count(done, "job")} deleted`} close=${leave}>
        <${Bar} percent=${(100 * done) / Math.max(jobs, done, 1)} css="completed" label=${sum} />
        <div role="status">
            <p>${sum} <${Kept} jobs=${progress.kept} /></p>
        </div>
        <${Counts} result=${progress} />
        ${progress.problem && html`<${Failed} problem=${progress.problem} />`}
        <div class="acts">
            ${
                phase === "run"
                    ? html`<button class="btn" type="button" ref=${takeFocus} onClick=${() => (stopped.current = true)}>Stop after this part</button>`
                    : html`<button class="btn" type="button" ref=${takeFocus} onClick=${leave}>Close</button>`
            }
        </div>
    <//>`;
}
