/** The rules of retention: how long ended jobs are kept. A rule says how many jobs it deletes before it is saved. */
import { address, change } from "../../app/api.js";
import { Dialog, Question, showProblem, toast } from "../../app/dialogs.js";
import { count, upper, word } from "../../app/format.js";
import { Field, Reason, Select, fieldOf } from "../../app/forms.js";
import { html, useState } from "../../app/html.js";
import { useLive } from "../../app/live.js";
import { Card, ENDED, Failed, Loaded, State, Table } from "../../app/parts.js";
import { to } from "../../app/route.js";

export function Retention({ about }) {
    const live = useLive(address("retention"));
    const [editing, edit] = useState(null);
    const [removing, remove] = useState(null);
    const may = about.permissions.includes("destroy");
    return html`<${Card} title="Retention" aside=${may && html`<button class="btn slim" type="button" onClick=${() => edit({})}>Add a rule</button>`}>
        <${Loaded} live=${live}>
            ${({ retention }) =>
                html`<${Table}
                    caption="How long ended jobs are kept"
                    columns=${["Jobs", "Kept", may && [html`<span class="off">Actions</span>`, "num"]]}
                >
                    ${retention.map(
                        (rule) =>
                            html`<tr key=${rule.state + " " + rule.type}>
                                <th scope="row">
                                    <${State} state=${rule.state} />
                                    <br /><small class="muted wrap"
                                        >${rule.type === null && !retention.some(({ state, type }) => state === rule.state && type !== null) ? "all types" : rule.type === null ? "all other types" : html`<a href=${to("jobs", { state: rule.state, type: rule.type })}><bdi>${rule.type}</bdi></a>`}</small
                                    >
                                </th>
                                <td class="nowrap">${kept(rule.keep)}</td>
                                ${
                                    may &&
                                    html`<td class="num">
                                        <button
                                            class="btn slim bare"
                                            type="button"
                                            aria-label=${"Change the rule for " + jobs(rule)}
                                            onClick=${() => edit(rule)}
                                        >
                                            Change</button
                                        ><button
                                            class="btn slim bare danger"
                                            type="button"
                                            aria-label=${`${rule.type ? "Remove" : "Reset"} the rule for ${jobs(rule)}`}
                                            onClick=${() => remove(rule)}
                                        >
                                            ${rule.type ? "Remove" : "Reset"}
                                        </button>
                                    </td>`
                                }
                            </tr>`,
                    )}
                <//>`}
        <//>
        <p class="foot">Workers delete older jobs in the background.${!may && " View only. A change needs the permission destroy."}</p>
        ${editing && html`<${RuleDialog} rule=${editing} done=${live.reload} close=${() => edit(null)} />`}
        ${removing && html`<${Removal} rule=${removing} rules=${live.data.retention} done=${live.reload} close=${() => remove(null)} />`}
    <//>`;
}

const UNITS = { s: "second", m: "minute", h: "hour", d: "day" };

/** "for 30 days" */
function kept(keep) {
    const [, amount, unit] = /^(\d+)([smhd])$/.exec(keep) ?? [];
    return keep === "forever" ? keep : "for " + (unit ? count(Number(amount), UNITS[unit]) : keep.replace(/^(\d+)([a-z]+)$/, "$1 $2"));
}

/** "failed jobs of mail.send" */
function jobs({ state, type }) {
    return state.toLowerCase() + " jobs" + (type ? " of " + type : "");
}

/** Returns how many jobs a rule deletes: those that a cleanup with its age would delete. Counting stops after 10 s, and is then not complete. */
async function deletions({ state, type }, keep) {
    if (keep === "forever") {
        return { jobs: 0, complete: true };
    }
    const others = Object.fromEntries(ENDED.map((one) => [one.toLowerCase(), one === state ? keep : "forever"]));
    const { deleted, complete } = await change("POST", address("cleanup"), { ...others, type: type || undefined, dryRun: true });
    return { jobs: deleted[state], complete };
}

/** "3 jobs", "at least 3 jobs" */
function counted({ jobs, complete }) {
    return complete ? count(jobs, "job") : jobs > 0 ? "at least " + count(jobs, "job") : "an unknown number of jobs";
}

function RuleDialog({ rule, done, close }) {
    const isNew = rule.state === undefined;
    const [fields, setFields] = useState({ state: rule.state ?? "COMPLETED", type: rule.type ?? "", keep: rule.keep ?? "", reason: "" });
    const [problem, setProblem] = useState(null);
    const [busy, setBusy] = useState(false);
    const [found, setFound] = useState(null);
    const input = (name) => ({
        name,
        value: fields[name],
        problem,
        onInput: (event) => {
            setFields({ ...fields, [name]: event.target.value });
            setFound(null);
        },
    });
    const type = fields.type.trim() || undefined;
    const keep = fields.keep.trim();

    const save = async (event) => {
        event.preventDefault();
        const reason = new FormData(event.target).get("reason") || undefined;
        setBusy(true);
        setProblem(null);
        try {
            if (found === null && keep !== "") {
                const result = await deletions({ state: fields.state, type }, keep).catch(atField(fields.state));
                if (!event.target.isConnected) {
                    return; // closed before the question
                }
                if (result.jobs > 0 || !result.complete) {
                    setFound(result);
                    setBusy(false);
                    return;
                }
            }
            await change("PUT", address("retention"), { state: fields.state, type, keep, reason });
            toast(`${word(fields.state)} jobs${type ? ` of ${type}` : ""} are kept ${kept(keep)}.`);
            done();
            if (event.target.isConnected) {
                close();
            }
        } catch (failure) {
            showProblem(failure, event.target, setProblem);
            setBusy(false);
        }
    };
    return html`<${Dialog} drawer title=${isNew ? "Add a rule" : html`Keep <bdi class="wrap">${jobs(rule)}</bdi>`} close=${close}>
        <form class="stack" onSubmit=${save} novalidate>
            ${
                isNew &&
                html`<${Select} label="Jobs that have ended as" options=${ENDED.map((state) => [state, word(state)])} ...${input("state")} />
                    <${Field} label="Type" placeholder="all types without a rule of their own" maxlength="100" ...${input("type")} />`
            }
            <${Field} label="Keep for" placeholder="30d, 12h, forever" hint="A number with s, m, h or d, or forever" ...${input("keep")} />
            <${Reason} problem=${problem} />
            ${
                found !== null &&
                html`<div class="banner warn" role="alert">
                    <p>
                        <b class="wrap">${upper(counted(found))} ${found.jobs === 1 ? "is" : "are"} older than ${keep}.</b
                        >${` Workers delete ${found.complete && found.jobs === 1 ? "it with its" : "them with their"} history at their next pass. This cannot be undone.`}
                        ${!found.complete && " Counting stopped after 10 s."}
                    </p>
                </div>`
            }
            ${problem && !fieldOf(problem, ["type", "keep", "reason"]) && html`<${Failed} problem=${problem} />`}
            <div class="acts">
                <button class="btn" type="button" onClick=${close}>Keep it as it is</button>
                <button class=${found === null ? "btn main-act" : "btn danger main-act"} disabled=${busy}>
                    ${found === null ? "Save" : `Save, and delete ${counted(found)}`}
                </button>
            </div>
        </form>
    <//>`;
}

/** The dry run names the age by the state. In this form it is the field keep. */
function atField(state) {
    return (problem) => {
        problem.message = problem.message.replace(new RegExp(`^${state.toLowerCase()}\\b`), "keep");
        throw problem;
    };
}

function Removal({ rule, rules, done, close }) {
    const general = rules.find(({ state, type }) => state === rule.state && type === null);
    const next = rule.type && general ? general.keep : null;
    const [found, setFound] = useState(null);
    const [problem, setProblem] = useState(null);
    useState(() => {
        if (next) {
            deletions(rule, next).then(setFound, setProblem);
        }
    });
    const run = async (form) => {
        await change("DELETE", address("retention", { state: rule.state, type: rule.type, reason: form.get("reason") }));
        toast(`The rule for ${jobs(rule)} was ${rule.type ? "removed" : "reset"}.`);
        done();
    };
    return html`<${Question}
        title=${html`${rule.type ? "Remove" : "Reset"} the rule for <bdi class="wrap">${jobs(rule)}</bdi>?`}
        action=${rule.type ? "Remove the rule" : "Reset the rule"}
        danger
        run=${run}
        close=${close}
    >
        <p>
            ${
                next
                    ? `Then the rule of all other types holds: they are kept ${kept(next)}.`
                    : "Then the default holds: completed and cancelled jobs are kept for 30 days, failed ones for 90 days."
            }
            ${
                found &&
                (found.jobs > 0 || !found.complete) &&
                html` <b>${upper(counted(found))} ${found.jobs === 1 ? "is" : "are"} older</b>, and workers delete them at their next pass.`
            }
        </p>
        ${problem && html`<p class="bad wrap" role="alert">The older jobs were not counted: ${problem.message}</p>`}
    <//>`;
}
