/** The doctor: an examination of the store, one at a time, with the finding of each check. */
import { address, get, serverNow } from "../../app/api.js";
import { count, duration, time } from "../../app/format.js";
import { html, useEffect, useRef, useState } from "../../app/html.js";
import { Card, Empty, Failed, Icon, Table, useNow } from "../../app/parts.js";
import { replace, to } from "../../app/route.js";
import { useSettings } from "../../app/settings.js";

const BUDGETS = ["2s", "10s", "30s", "60s"];

/** The results of a check, the worst first: icon and word. */
const RESULTS = [
    ["failed", "Failed"],
    ["pending", "Not finished"],
    ["info", "Note"],
    ["completed", "Ok"],
];

function Word({ rank, children }) {
    const [icon, word] = RESULTS[rank];
    return html`<span class=${"state s-" + icon}><${Icon} name=${icon} />${children ?? word}</span>`;
}

function result({ ok, note, finished }) {
    return !ok ? 0 : !finished ? 1 : note ? 2 : 3;
}

export function Doctor({ about, query }) {
    const [state, setState] = useState({ running: null, diagnosis: null, at: null, problem: null });
    const abort = useRef(null);
    useEffect(() => () => abort.current?.abort(), []);
    const quick = query.get("doctor") === "quick";
    const budget = BUDGETS.includes(query.get("budget")) ? query.get("budget") : "10s";
    const choose = (changes) => replace(to("system", { doctor: quick ? "quick" : null, budget: budget === "10s" ? null : budget, ...changes }));
    const may = about.permissions.includes("diagnose");

    const run = async (event) => {
        event.preventDefault();
        abort.current = new AbortController();
        setState((last) => ({ ...last, running: serverNow(), problem: null }));
        try {
            const diagnosis = await get(address("doctor", { quick: quick || null, budget }), abort.current.signal);
            setState({ running: null, diagnosis, at: serverNow(), problem: null });
        } catch (problem) {
            if (problem.name !== "AbortError") {
                setState((last) => ({ ...last, running: null, problem }));
            }
        }
    };
    return html`<${Card}
        title="Doctor"
        aside=${
            may &&
            html`<form class="row" onSubmit=${run}>
                <label class="row tight"
                    ><input
                        type="checkbox"
                        checked=${quick}
                        onChange=${(event) => choose({ doctor: event.target.checked ? "quick" : null })}
                    />Quick</label
                >
                <label class="row tight"
                    >Time limit
                    <select
                        class="input short"
                        value=${budget}
                        onChange=${(event) => choose({ budget: event.target.value === "10s" ? null : event.target.value })}
                    >
                        ${BUDGETS.map((value) => html`<option value=${value} selected=${value === budget}>${value.replace("s", " s")}</option>`)}
                    </select></label
                >
                <button class="btn" disabled=${state.running !== null}>${state.running ? "Examining" : "Examine the store"}</button>
            </form>`
        }
    >
        <div role="status">${state.running !== null && html`<${Running} since=${state.running} budget=${budget} />`}</div>
        ${state.problem && html`<div class="pad"><${Failed} problem=${explained(state.problem)} /></div>`}
        ${
            state.diagnosis
                ? html`<${Result} diagnosis=${state.diagnosis} at=${state.at} />`
                : !state.running &&
                  html`<${Empty} title=${may ? "The store has not been examined yet." : "You may not examine the store."}>
                      ${
                          may
                              ? "An examination reads the store and changes nothing. Quick leaves out the comparison of indexes with their tables."
                              : "Start one with the command: windrow doctor. Here it needs the permission diagnose."
                      }
                  <//>`
        }
    <//>`;
}

/** Another examination is no error of this one. */
function explained(problem) {
    return problem.status === 429
        ? { body: { title: "Another examination runs.", detail: "One runs at a time. Try again when it has ended." } }
        : problem;
}

function Running({ since, budget }) {
    const now = useNow();
    return html`<p class="pad muted">Examining for ${duration(Math.max(0, now - since))}, at most ${budget.replace("s", " s")}</p>`;
}

function Result({ diagnosis, at }) {
    const { zone } = useSettings();
    const checks = diagnosis.checks.map((check) => ({ ...check, rank: result(check) })).sort((a, b) => a.rank - b.rank);
    const number = (rank) => checks.filter((check) => check.rank === rank).length;
    const parts = [
        [number(0), (n) => `${n} failed`],
        [number(1), (n) => `${n} not finished`],
        [number(2), (n) => count(n, "note")],
    ].filter(([n]) => n > 0);
    return html`<p class="pad">
            <b class="wrap"
                >${diagnosis.ok ? "The store is sound" : "The store has a fault"}:${" "}${count(checks.length, "check")}${parts.map(([n, text]) => `, ${text(n)}`)}</b
            >
            <br /><small class="muted">Examined at ${time(at, zone)}, in ${duration(diagnosis.millis)}</small>
        </p>
        <${Table} caption="Checks, the failed ones first" columns=${["Check", ["Result", "p2"], "Finding"]}>
            ${checks.map(
                ({ name, rank, detail, remedy }) =>
                    html`<tr key=${name}>
                        <th scope="row">
                            <b class="nowrap">${name}</b><small class="only-s"><${Word} rank=${rank} /></small>
                        </th>
                        <td class="p2"><${Word} rank=${rank} /></td>
                        <td class="wrap">
                            <bdi>${detail}</bdi>
                            ${remedy && html`<p><b>What to do:</b> <bdi>${remedy}</bdi></p>`}
                        </td>
                    </tr>`,
            )}
        <//>
        ${diagnosis.queries.length > 0 && html`<${Queries} queries=${diagnosis.queries} />`}`;
}

/** The plans by which the store finds rows. They help only if a query is slow, so they are folded. */
function Queries({ queries }) {
    const [open, setOpen] = useState(false);
    return html`<details class="data" onToggle=${(event) => setOpen(event.target.open)}>
        <summary>Show the plans of ${count(queries.length, "query", "queries")}</summary>
        ${
            open &&
            html`<${Table} caption="Queries with their plans" columns=${["Query", ["Plan", "p2"], ["Time", "num"]]}>
                ${queries.map(
                    ({ name, plan, millis, note }) =>
                        html`<tr key=${name}>
                            <th scope="row">${name}</th>
                            <td class="p2 mono plan">${plan}</td>
                            <td class="num">${millis === null ? note : `${Number(millis).toFixed(2)} ms`}</td>
                        </tr>`,
                )}
            <//>`
        }
    </details>`;
}
