/** The table of the jobs: its columns, and a row for each job. */
import { serverNow } from "../../app/api.js";
import { count, duration, number, time, word } from "../../app/format.js";
import { Component, html, useCallback, useEffect, useMemo, useRef, useState } from "../../app/html.js";
import { Ago, Bar, State, failedJobs, instant, useNow } from "../../app/parts.js";
import { to } from "../../app/route.js";
import { useSettings } from "../../app/settings.js";

/** The widths of windows, as in the style sheets. */
const [NARROW, MIDDLE, WIDE] = [0, 1, 2];
const WIDTHS = { [MIDDLE]: matchMedia("(min-width: 640px)"), [WIDE]: matchMedia("(min-width: 1024px)") };

function widthNow() {
    return WIDTHS[WIDE].matches ? WIDE : WIDTHS[MIDDLE].matches ? MIDDLE : NARROW;
}

/**
 * The columns beside the job itself. "first" stands before the job; "from" is the narrowest width with the column. Cells are functions: an instance of
 * a component for each of a thousand cells costs more than what it draws.
 */
export const COLUMNS = [
    { name: "state", label: "State", first: true, from: MIDDLE, cell: shownState },
    { name: "name", label: "Name", from: WIDE, cell: ({ job }) => job.name && text(job.name) },
    {
        name: "queue",
        label: "Queue",
        from: WIDE,
        cell: ({ job }) => html`<a href=${to("jobs", { queue: job.queue })}>${text(job.queue)}</a>`,
    },
    { name: "attempts", label: "Attempts", css: "nowrap", from: WIDE, cell: ({ job }) => `${number(job.attempt)} of ${number(job.maxAttempts)}` },
    { name: "reason", label: "Reason", from: MIDDLE, cell: reason },
    { name: "tags", label: "Tags", from: WIDE, cell: tags },
    { name: "priority", label: "Priority", css: "num", from: WIDE, cell: ({ job }) => job.priority },
    { name: "worker", label: "Worker", from: WIDE, cell: ({ job }) => job.worker && text(job.worker) },
    {
        name: "key",
        label: "Key",
        from: WIDE,
        cell: ({ job }) => job.concurrencyKey && html`<a href=${to("jobs", { concurrencyKey: job.concurrencyKey })}>${text(job.concurrencyKey)}</a>`,
    },
    { name: "due", label: "Due", css: "num", from: WIDE, cell: ({ job, zone }) => instant(job.scheduledAt, time(job.scheduledAt, zone)) },
    { name: "created", label: "Created", css: "num", from: MIDDLE, sorted: true, cell: ({ job }) => html`<${Ago} at=${job.createdAt} />` },
    { name: "ended", label: "Ended", css: "num", from: WIDE, cell: ({ job }) => (job.finishedAt ? html`<${Ago} at=${job.finishedAt} />` : "-") },
    { name: "ran", label: "Ran", css: "num", from: WIDE, cell: ran },
];

export const USUAL_COLUMNS = ["state", "name", "queue", "attempts", "reason", "created", "ran"];

/** A longer text is cut. */
const SHORT = 30;
const MOST_TAGS = 4;

/** Returns the width of the window. What it leaves out is not drawn. */
function useWidth() {
    const [width, setWidth] = useState(widthNow);
    useEffect(() => {
        const changed = () => setWidth(widthNow());
        const queries = Object.values(WIDTHS);
        queries.forEach((query) => query.addEventListener("change", changed));
        return () => queries.forEach((query) => query.removeEventListener("change", changed));
    }, []);
    return width;
}

export function JobTable({ caption, rows, gone, order, orderHref, at, selected, toggle, togglePage, pausedQueues }) {
    const { columns, zone } = useSettings();
    const width = useWidth();
    const [before, behind] = useMemo(() => {
        const shown = COLUMNS.filter(({ name, from }) => (columns ?? USUAL_COLUMNS).includes(name) && width >= from);
        return [shown.filter(({ first }) => first), shown.filter(({ first }) => !first)];
    }, [columns, width]);
    const latest = useRef(toggle);
    latest.current = toggle;
    const toggled = useCallback((job, range) => latest.current(job, range), []);
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
                        toggle=${toggled}
                        width=${width}
                        zone=${zone}
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

/** A row. It is drawn when one of its properties has changed: most polls change a few jobs. */
class Row extends Component {
    shouldComponentUpdate(next) {
        return Object.keys(next).some((name) => next[name] !== this.props[name]);
    }

    render(row) {
        const { job, gone, current, on, toggle, width, before, behind } = row;
        const cell = ({ name, css, cell }) => html`<td key=${name} class=${css}>${cell(row)}</td>`;
        return html`<tr class=${[on && "on", current && "at", gone && "muted"].filter(Boolean).join(" ")} aria-current=${current ? "true" : null}>
            <td>
                <label class="check"
                    ><input type="checkbox" aria-label=${"Select job " + job.id} checked=${on} onClick=${(event) => toggle(job, event.shiftKey)}
                /></label>
            </td>
            ${before.map(cell)}
            <th scope="row">
                <a class="mono nowrap" href=${to(["jobs", job.id])}>${job.id}</a> ${text(job.type)}
                ${width < WIDE && job.name && html`<small class="muted">${text(job.name)}</small>`}
                ${
                    width < MIDDLE &&
                    html`<small class="small"
                            >${shownState(row)}${" "}<span class="muted"><${Ago} at=${job.createdAt} /></span></small
                        ><small>${reason(row)}</small>`
                }
            </th>
            ${behind.map(cell)}
        </tr>`;
    }
}

/** The state. Of a job that no longer matches the filter it is the last one that the list has seen. */
function shownState({ job: { state }, gone }) {
    return gone
        ? html`<span title="This job no longer matches the filter.">${State({ state, children: "was " + state.toLowerCase() })}</span>`
        : State({ state });
}

/** A text of users. A long one has three lines at most, and is whole in the tooltip. */
function text(value) {
    return value.length > SHORT ? html`<bdi class="clamp" title=${value}>${value}</bdi>` : html`<bdi>${value}</bdi>`;
}

function tags({ job }) {
    const others = job.tags.slice(MOST_TAGS);
    return html`${job.tags.slice(0, MOST_TAGS).map((tag) => html`<a key=${tag} href=${to("jobs", { tag })}>${text(tag)}</a> `)}${
        others.length > 0 && html`<small class="muted" title=${others.join(", ")}>and ${count(others.length, "other")}</small>`
    }`;
}

/** The reason for the state of a job, as far as the list knows it. */
function reason({ job, paused, zone }) {
    switch (job.state) {
        case "FAILED":
            return job.errorCode && html`<a class="mono bad" href=${failedJobs(job.errorCode)}>${text(job.errorCode)}</a>`;
        case "RUNNING":
            return job.progress ? progress(job.progress) : job.worker && html`<span class="muted">on <bdi>${job.worker}</bdi></span>`;
        case "SCHEDULED":
            return job.attempt > 0 && job.errorCode
                ? html`retry ${new Date(job.scheduledAt) > serverNow() ? html`<${Ago} at=${job.scheduledAt} />` : "due"} after${" "}
                      <bdi class="mono">${job.errorCode}</bdi>`
                : html`due ${instant(job.scheduledAt, time(job.scheduledAt, zone))}`;
        case "BLOCKED":
            return blocked(job, zone);
        case "PENDING":
            if (paused) {
                return html`<span class="warn">queue <bdi>${job.queue}</bdi> is paused</span>`;
            }
            return job.waitsForPermit
                ? html`waits for a permit of <bdi>${job.concurrencyKey}</bdi>`
                : html`<span class="muted">waits for a worker</span>`;
        case "COMPLETED":
            return job.progress?.message && html`<span class="muted">${text(job.progress.message)}</span>`;
        default:
            return job.errorCode && html`<bdi class="mono muted">${job.errorCode}</bdi>`;
    }
}

function blocked({ waitingFor, wakeAt, dependsOn }, zone) {
    if (waitingFor === "EVENT") {
        return html`waits for an event${wakeAt && html`, until ${instant(wakeAt, time(wakeAt, zone))}`}`;
    }
    const open = dependsOn.filter(({ state }) => state !== "COMPLETED");
    const [first] = open;
    return first
        ? html`waits for <a href=${to(["jobs", first.id])}>${first.id}</a>${first.state && ", " + word(first.state).toLowerCase()}${
                  open.length > 1 && ` and ${count(open.length - 1, "other job")}`
              }`
        : "waits for its parents";
}

function progress({ fraction, message }) {
    const percent = fraction === null ? null : Math.round(Number(fraction) * 100);
    return html`${
        percent !== null &&
        html`<span class="row nowrap-row"
            ><${Bar} percent=${percent} css="running" thin label=${percent + " %"} /><small class="muted nowrap">${percent} %</small></span
        >`
    }${message && html`<small class="muted"><bdi>${message}</bdi></small>`}`;
}

function ran({ job }) {
    const { state, startedAt, finishedAt } = job;
    if (startedAt && state === "RUNNING") {
        return html`<${Running} since=${startedAt} />`;
    }
    return startedAt && finishedAt ? length(startedAt, new Date(finishedAt)) : "-";
}

function Running({ since }) {
    return length(since, useNow());
}

function length(from, to) {
    return duration(Math.max(0, to - new Date(from).getTime()));
}

/** "18:57:40" of the moment at which the rows were fixed. */
export function fixedAt(page) {
    return time(page.at);
}
