/** The outcomes of the last runs: as dots in the list, as a table beside it. */
import { count, number } from "../../app/format.js";
import { html } from "../../app/html.js";
import { Icon, Table, Time } from "../../app/parts.js";
import { to } from "../../app/route.js";

const KINDS = {
    completed: "completed",
    failed: "failed",
    cancelled: "cancelled",
    running: "running",
    waiting: "pending",
    skipped: "cancelled",
    missed: "cancelled",
    deleted: "info",
};

/** Returns what became of a run: the state of its job, or why it has none. */
function kind({ outcome, state }) {
    if (outcome === "MISSED") {
        return "missed";
    }
    if (outcome === "SKIPPED_OVERLAP") {
        return "skipped";
    }
    const low = state?.toLowerCase() ?? "deleted";
    return low in KINDS ? low : "waiting";
}

function summary(runs) {
    const counts = {};
    runs.forEach((run) => (counts[kind(run)] = (counts[kind(run)] ?? 0) + 1));
    return Object.keys(KINDS)
        .filter((name) => counts[name])
        .map((name) => `${counts[name]} ${name}`)
        .join(", ");
}

/** One dot a run, the newest at the right. */
export function Dots({ runs }) {
    if (runs.length === 0) {
        return html`<span class="muted small">no run yet</span>`;
    }
    const text = summary(runs);
    return html`<svg
            class="dots"
            width=${runs.length * 14}
            height="14"
            viewBox=${`0 0 ${runs.length * 14} 14`}
            role="img"
            aria-label=${`Last ${count(runs.length, "run")}: ${text}`}
        >
            ${runs.toReversed().map((run, i) => {
                const icon = KINDS[kind(run)];
                return html`<g class=${"s-" + icon}
                    ><svg class="i" x=${i * 14 + 1} y="1" width="12" height="12"><use href=${"#i-" + icon}></use></svg
                ></g>`;
            })}
        </svg>
        <span class="muted small" aria-hidden="true">${text}</span>`;
}

export function Runs({ name, runs }) {
    return html`<${Table} css="flush" caption=${`Last runs of ${name}`} columns=${["Due", "Outcome", ["Job", "num"]]}>
        ${runs.map(
            (run) =>
                html`<tr key=${run.due}>
                    <th scope="row"><${Time} at=${run.due} /></th>
                    <td>
                        <span class=${"state s-" + KINDS[kind(run)]}><${Icon} name=${KINDS[kind(run)]} />${words(run)}</span>
                    </td>
                    <td class="num">${run.job ? html`<a href=${to(["jobs", run.job])}>${run.job}</a>` : "-"}</td>
                </tr>`,
        )}
    <//>`;
}

function words(run) {
    const what = kind(run);
    if (run.job || run.runs === 1) {
        return { skipped: "skipped: the last job ran", deleted: "job deleted" }[what] ?? what;
    }
    return run.runs === null ? `many ${what}` : `${number(run.runs)} ${what}`;
}
