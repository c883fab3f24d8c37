/** The table of the jobs: its columns, and a row for each job. */
import { serverNow } from "../../app/api.js";
import { count, duration, number, time, word } from "../../app/format.js";
import { html, useEffect, useRef } from "../../app/html.js";
import { Bar, State, Time, useNow } from "../../app/parts.js";
import { to } from "../../app/route.js";
import { useSettings } from "../../app/settings.js";

/** The columns beside the job itself. "first" stands before the job; p2 and p3 are left out on narrow screens. */
export const COLUMNS = [
    {
        name: "state",
        label: "State",
        first: true,
        css: "p2",
        cell: ShownState,
    },
    { name: "name", label: "Name", css: "p3", cell: ({ job }) => job.name && html`<${Text} text=${job.name} />` },
    {
        name: "queue",
        label: "Queue",
        css: "p3",
        cell: ({ job }) => html`<a href=${to("jobs", { queue: job.queue })}><${Text} text=${job.queue} /></a>`,
    },
    { name: "attempts", label: "Attempts", css: "p3 nowrap", cell: ({ job }) => `${number(job.attempt)} of ${number(job.maxAttempts)}` },
    { name: "reason", label: "Reason", css: "p2", cell: Reason },
    { name: "tags", label: "Tags", css: "p3", cell: Tags },
    { name: "priority", label: "Priority", css: "num p3", cell: ({ job }) => job.priority },
    { name: "worker", label: "Worker", css: "p3", cell: ({ job }) => job.worker && html`<${Text} text=${job.worker} />` },
    {
        name: "key",
        label: "Key",
        css: "p3",
        cell: ({ job }) =>
            job.concurrencyKey && html`<a href=${to("jobs", { concurrencyKey: job.concurrencyKey })}><${Text} text=${job.concurrencyKey} /></a>`,
    },
    { name: "due", label: "Due", css: "num p3", cell: ({ job }) => html`<${Time} at=${job.scheduledAt} />` },
    { name: "created", label: "Created", css: "num p2", sorted: true, cell: ({ job }) => html`<${Time} at=${job.createdAt} relative />` },
    { name: "ended", label: "Ended", css: "num p3", cell: ({ job }) => html`<${Time} at=${job.finishedAt} relative />` },
    { name: "ran", label: "Ran", css: "num p3", cell: Ran },
];

export const USUAL_COLUMNS = ["state", "name", "queue", "attempts", "reason", "created", "ran"];

const MOST_TAGS = 4;

export function JobTable({ caption, rows, gone, order, orderHref, at, selected, toggle, togglePage, pausedQueues }) {
    const { columns } = useSettings();
    const shown = COLUMNS.filter(({ name }) => (columns ?? USUAL_COLUMNS).includes(name));
    const [before, behind] = [shown.filter(({ first }) => first), shown.filter(({ first }) => !first)];
    const chosen = rows.filter(({ id }) => selected.has(id)).length;
    const heading = ({ name, label, css, sorted }) =>
        html`<th key=${name} scope="col" class=${css} aria-sort=${sorted ? (order === "oldest" ? "ascending" : "descending") : null}>
            ${sorted ? html`<a href=${orderHref} title=${order === "oldest" ? "Newest first" : "Oldest first"}>${label} <span aria-hidden="true">${order === "oldest" ? "\u2191" : "\u2193"}</span></a>` : label}
        </th>`;
    return html`<table class="jobs">
        <caption class="off">
            ${caption}
        </caption>
        <thead>
            <tr>
                <th scope="col">
                    <label class="check"
                        ><${PageBox} all=${rows.length > 0 && chosen === rows.length} some=${chosen > 0} onChange=${togglePage}
                    /></label>
                </th>
                ${before.map(heading)}
                <th scope="col">Job</th>
                ${behind.map(heading)}
            </tr>
        </thead>
        <tbody>
            ${rows.map(
                (job, i) =>
                    // Keyed by their place: the rows of the next page are drawn into those of this one.
                    html`<${Row}
                        key=${i}
                        job=${job}
                        gone=${gone.has(job.id)}
                        current=${i === at}
                        on=${selected.has(job.id)}
                        toggle=${toggle}
                        before=${before}
                        behind=${behind}
                        paused=${pausedQueues.has(job.queue)}
                    />`,
            )}
        </tbody>
    </table>`;
}

function PageBox({ all, some, onChange }) {
    const box = useRef(null);
    useEffect(() => {
        box.current.indeterminate = some && !all;
    }, [some, all]);
    return html`<input ref=${box} type="checkbox" aria-label="Select the page" checked=${all} onChange=${onChange} />`;
}

function Row({ job, gone, current, on, toggle, before, behind, paused }) {
    const cell = ({ name, css, cell: Cell }) => html`<td key=${name} class=${css}><${Cell} job=${job} gone=${gone} paused=${paused} /></td>`;
    return html`<tr class=${[on && "on", current && "at", gone && "muted"].filter(Boolean).join(" ")} aria-current=${current ? "true" : null}>
        <td>
            <label class="check"
                ><input type="checkbox" aria-label=${"Select job " + job.id} checked=${on} onClick=${(event) => toggle(job, event.shiftKey)}
            /></label>
        </td>
        ${before.map(cell)}
        <th scope="row">
            <a class="mono nowrap" href=${to(["jobs", job.id])}>${job.id}</a> <bdi title=${job.type}>${job.type}</bdi>
            ${job.name && html`<small class="only-m small muted"><${Text} text=${job.name} /></small>`}
            <small class="only-s small"
                ><${ShownState} job=${job} gone=${gone} />${" "}<span class="muted"><${Time} at=${job.createdAt} relative /></span
            ></small>
        </th>
        ${behind.map(cell)}
    </tr>`;
}

/** The state. Of a job that no longer matches the filter it is the last one that the list has seen. */
function ShownState({ job: { state }, gone }) {
    return gone
        ? html`<span title="This job no longer matches the filter."><${State} state=${state}>was ${state.toLowerCase()}<//></span>`
        : html`<${State} state=${state} />`;
}

/** A text of users: three lines at most, whole in the tooltip. */
function Text({ text }) {
    return html`<bdi class="clamp" title=${text}>${text}</bdi>`;
}

function Tags({ job: { tags } }) {
    const others = tags.slice(MOST_TAGS);
    return html`${tags.slice(0, MOST_TAGS).map((tag) => html`<a key=${tag} href=${to("jobs", { tag })}><${Text} text=${tag} /></a> `)}${
        others.length > 0 && html`<small class="muted" title=${others.join(", ")}>and ${count(others.length, "other")}</small>`
    }`;
}

/** The reason for the state of a job, as far as the list knows it. */
function Reason({ job, paused }) {
    switch (job.state) {
        case "FAILED":
            return html`<a class="mono bad" href=${to("jobs", { state: "FAILED", code: job.errorCode })}><${Text} text=${job.errorCode} /></a>`;
        case "RUNNING":
            return job.progress
                ? html`<${Progress} progress=${job.progress} />`
                : job.worker && html`<span class="muted">on <bdi>${job.worker}</bdi></span>`;
        case "SCHEDULED":
            return job.attempt > 0 && job.errorCode
                ? html`retry ${new Date(job.scheduledAt) > serverNow() ? html`<${Time} at=${job.scheduledAt} relative />` : "due"} after${" "}
                      <bdi class="mono">${job.errorCode}</bdi>`
                : html`due <${Time} at=${job.scheduledAt} />`;
        case "BLOCKED":
            return html`<${Blocked} job=${job} />`;
        case "PENDING":
            if (paused) {
                return html`<span class="warn">queue <bdi>${job.queue}</bdi> is paused</span>`;
            }
            return job.waitsForPermit
                ? html`waits for a permit of <bdi>${job.concurrencyKey}</bdi>`
                : html`<span class="muted">waits for a worker</span>`;
        case "COMPLETED":
            return job.progress?.message && html`<span class="muted"><${Text} text=${job.progress.message} /></span>`;
        default:
            return job.errorCode && html`<bdi class="mono muted">${job.errorCode}</bdi>`;
    }
}

function Blocked({ job }) {
    if (job.waitingFor === "EVENT") {
        return html`waits for an event${job.wakeAt && html`, until <${Time} at=${job.wakeAt} />`}`;
    }
    const open = job.dependsOn.filter(({ state }) => state !== "COMPLETED");
    const [first] = open;
    return first
        ? html`waits for <a href=${to(["jobs", first.id])}>${first.id}</a>${first.state && ", " + word(first.state).toLowerCase()}${
                  open.length > 1 && ` and ${count(open.length - 1, "other job")}`
              }`
        : "waits for its parents";
}

function Progress({ progress: { fraction, message } }) {
    const percent = fraction === null ? null : Math.round(Number(fraction) * 100);
    return html`${
        percent !== null &&
        html`<span class="row nowrap-row"
            ><${Bar} percent=${percent} css="running" thin label=${percent + " %"} /><small class="muted nowrap">${percent} %</small></span
        >`
    }${message && html`<small class="muted"><bdi>${message}</bdi></small>`}`;
}

function Ran({ job }) {
    const runs = job.state === "RUNNING";
    const now = useNow(runs);
    const end = runs ? now : job.finishedAt && new Date(job.finishedAt).getTime();
    return job.startedAt && end ? duration(Math.max(0, end - new Date(job.startedAt).getTime())) : "-";
}

/** "18:57:40" of the moment at which the rows were fixed. */
export function fixedAt(page) {
    return time(page.at);
}
