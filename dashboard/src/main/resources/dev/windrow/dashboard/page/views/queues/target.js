/** A queue, a type or a key in a drawer: its jobs, its pause, its limits. */
import { address, change } from "../../app/api.js";
import { Dialog, Question as Ask, showProblem, toast } from "../../app/dialogs.js";
import { count, duration, number, upper, word } from "../../app/format.js";
import { Field, Reason, fieldOf } from "../../app/forms.js";
import { html, useState } from "../../app/html.js";
import { useLive } from "../../app/live.js";
import { Failed, Icon, Loaded, STATES, Time } from "../../app/parts.js";
import { to } from "../../app/route.js";
import { Holders, useKeyJobs } from "./keys.js";
import { named, target as unknown, targets } from "./targets.js";

const LIMITS = ["maxRunning", "rate", "burst"];

/** Asks before a pause or the end of one. */
export function Question({ target, pause, done, close }) {
    const { kind, name, states, limits } = target;
    const ready = states.PENDING;
    const run = async (form) => {
        await change("PUT", address(["controls", kind, name]), { paused: pause, reason: form.get("reason") || undefined });
        toast(`${upper(named(target))} was ${pause ? "paused" : "resumed"}.`);
        done();
    };
    return html`<${Ask}
        title=${html`${pause ? "Pause" : "Resume"} ${named({ kind, name: "" })}<bdi class="wrap">${name}</bdi>?`}
        action=${pause ? "Pause" : "Resume"}
        keep=${pause ? "Keep it running" : "Keep it paused"}
        run=${run}
        close=${close}
    >
        ${
            pause
                ? html`<p>
                      No more jobs start until it is
                      resumed.${kind !== "keys" && ` ${count(ready, "ready job")} ${ready === 1 ? "waits" : "wait"}.${states.RUNNING > 0 ? ` ${count(states.RUNNING, "running job")} ${states.RUNNING === 1 ? "continues" : "continue"}.` : ""}`}
                  </p>`
                : html`<p class="wrap">
                      Paused by <bdi>${limits?.pausedBy}</bdi>,${" "}<${Time}
                          at=${limits?.pausedAt}
                          relative
                      />${limits?.reason && html`: <bdi>${limits.reason}</bdi>`}.${kind !== "keys" && ` ${count(ready, "ready job")} can start.`}
                  </p>`
        }
    <//>`;
}

export function Target({ about, kind, name, data, all, ask, reload, close }) {
    const listed = all[kind]?.find((one) => one.name === name);
    // The overview may have a part of the queues and types.
    const isPart = data[kind + "InAll"] > all[kind]?.length;
    const other = useLive(isPart && kind !== "keys" && !listed ? address(kind, { find: name, limit: 1 }) : null);
    const found = other.data && targets(other.data)[kind].find((one) => one.name === name);
    const target = listed ?? found ?? (all[kind] ? unknown(kind, name) : null);
    const live = useLive(target && address(["controls", kind, name]));
    if (!target) {
        return html`<${Dialog} drawer title="Not found" close=${close}><p>This kind does not exist. Choose a queue, a type or a key.</p><//>`;
    }
    const changed = () => {
        live.reload();
        reload();
    };
    return html`<${Dialog} drawer title=${html`${upper(named({ kind, name: "" }))}<bdi class="wrap">${name}</bdi>`} close=${close}>
        <${kind === "keys" ? KeyFacts : Facts} target=${target} />
        <${Loaded} live=${live}>
            ${(limits) =>
                html`<${PauseState} target=${{ ...target, limits }} ask=${ask && ((question) => ask({ ...question, done: changed }))} /> ${
                        about.permissions.includes("control")
                            ? html`<${LimitForm} kind=${kind} name=${name} limits=${limits} changed=${changed} close=${close} />`
                            : html`<${Stored} limits=${limits} />
                                  <div class="acts"><button class="btn" type="button" onClick=${close}>Close</button></div>`
                    }`}
        <//>
    <//>`;
}

function PauseState({ target, ask }) {
    const { limits } = target;
    return html`<div class=${limits.paused ? "banner warn" : "banner"}>
        <${Icon} name=${limits.paused ? "pause" : "running"} />
        <p class="grow wrap">
            ${
                limits.paused
                    ? html`<b>Paused</b> by <bdi>${limits.pausedBy}</bdi>,${" "}<${Time}
                              at=${limits.pausedAt}
                              relative
                          />${limits.reason && html`: <bdi>${limits.reason}</bdi>`}`
                    : "Not paused"
            }
        </p>
        ${ask && html`<button class="btn slim" type="button" onClick=${() => ask({ target, pause: !limits.paused })}>${limits.paused ? "Resume" : "Pause"}</button>`}
    </div>`;
}

/** The jobs of a queue or a type by state. */
function Facts({ target }) {
    const { kind, states, filter, lagMillis } = target;
    return html`<dl class="facts">
        ${STATES.map(
            (state) =>
                html`<dt>${word(state)}</dt>
                    <dd><a href=${to("jobs", { ...filter, state })}>${number(states[state])}</a></dd>`,
        )}
        ${
            kind === "queues" &&
            html`<dt>Lag</dt>
                <dd>${duration(lagMillis)}</dd>`
        }
    </dl>`;
}

function KeyFacts({ target }) {
    const listed = target.holders !== undefined;
    const live = useKeyJobs(listed ? null : target.name);
    return html`<${Loaded} live=${listed ? { ...live, data: target } : live}>
        ${({ holders, others, waiting }) => {
            return html`<dl class="facts">
                <dt>Held by</dt>
                <dd><${Holders} holders=${holders} others=${others} /></dd>
                <dt>Waiting</dt>
                <dd><a href=${to("jobs", { ...target.filter, state: "PENDING" })}>${waiting}</a></dd>
            </dl>`;
        }}
    <//>`;
}

/** The limits of a target for a sender who may not change them. */
function Stored({ limits }) {
    return html`<dl class="facts">
            <dt>Running at once</dt>
            <dd>${limits.maxRunning === null ? "no limit" : number(limits.maxRunning)}</dd>
            <dt>Rate</dt>
            <dd>${limits.rate ? `${limits.rate}, burst ${number(limits.burst)}` : "no limit"}</dd>
        </dl>
        <p class="small muted">View only. Pauses and limits need the permission control.</p>`;
}

/** Typed values stay while the stored limits change elsewhere. Fields that are not touched follow them. */
function LimitForm({ kind, name, limits, changed, close }) {
    const [draft, setDraft] = useState({});
    const [problem, setProblem] = useState(null);
    const [busy, setBusy] = useState(false);
    const stored = Object.fromEntries(LIMITS.map((field) => [field, String(limits[field] ?? "")]));
    const typed = { ...stored, ...draft };
    const dirty = LIMITS.filter((field) => typed[field].trim() !== stored[field]);
    const input = (field) => ({
        name: field,
        value: typed[field],
        problem,
        placeholder: "no limit",
        onInput: (event) => setDraft({ ...draft, [field]: event.target.value }),
        hint: dirty.includes(field) && `Now: ${stored[field] || "no limit"}`,
    });

    const send = async (form, request, text) => {
        setBusy(true);
        setProblem(null);
        try {
            await request();
            toast(text);
            changed();
            if (form.isConnected) {
                close();
            }
        } catch (failure) {
            showProblem(failure, form, setProblem);
            setBusy(false);
        }
    };
    const save = (event) => {
        event.preventDefault();
        const reason = new FormData(event.target).get("reason") || undefined;
        send(
            event.target,
            () => change("PUT", address(["controls", kind, name]), { ...body(typed, dirty), reason }),
            `${upper(named({ kind, name }))}: ${sentence(typed)}.`,
        );
    };
    const remove = (event) => {
        const { form } = event.target;
        const reason = new FormData(form).get("reason") || undefined;
        send(
            form,
            () => change("PUT", address(["controls", kind, name]), { maxRunning: "none", rate: "none", reason }),
            `The limits of ${named({ kind, name })} were removed.`,
        );
    };
    const limited = limits.maxRunning !== null || limits.rate !== null;
    return html`<form class="stack" onSubmit=${save} novalidate>
        <${Field} label="Running at once" inputmode="numeric" ...${input("maxRunning")} />
        <div class="two">
            <${Field} label="Rate" ...${input("rate")} />
            <${Field} label="Burst" inputmode="numeric" ...${input("burst")} placeholder="jobs of 100 ms" />
        </div>
        <p class="small muted">
            1 to 1,000,000 jobs. A rate is a number and a time, such as 20/s, 600/m or 5/2s. Jobs that run continue. An empty field removes its limit.
        </p>
        <${Reason} problem=${problem} />
        ${problem && !fieldOf(problem, [...LIMITS, "reason"]) && html`<${Failed} problem=${problem} />`}
        <div class="acts">
            ${limited && html`<button class="btn danger bare" type="button" disabled=${busy} onClick=${remove}>Remove limits</button>`}
            <button class="btn" type="button" onClick=${close}>Cancel</button>
            <button class="btn main-act" disabled=${busy || dirty.length === 0}>Save</button>
        </div>
    </form>`;
}

/** Returns the body of the change. A rate without a burst gets a new one, so the two go together, as the form shows them. */
function body(typed, dirty) {
    const [maxRunning, rate, burst] = LIMITS.map((field) => typed[field].trim());
    const all = {};
    if (dirty.includes("maxRunning")) {
        all.maxRunning = maxRunning === "" ? "none" : whole(maxRunning);
    }
    if (rate !== "" && (dirty.includes("rate") || dirty.includes("burst"))) {
        Object.assign(all, { rate, burst: burst === "" ? undefined : whole(burst) });
    } else if (dirty.includes("rate")) {
        all.rate = "none";
    } else if (dirty.includes("burst")) {
        all.burst = burst === "" ? undefined : whole(burst); // the API says that a burst needs a rate
    }
    return all;
}

/** The API says what is wrong with a text that is no number. */
function whole(text) {
    return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function sentence({ maxRunning, rate }) {
    return `${maxRunning.trim() ? `at most ${maxRunning.trim()} running` : "any number running"}, ${rate.trim() ? "rate " + rate.trim() : "no rate limit"}`;
}
