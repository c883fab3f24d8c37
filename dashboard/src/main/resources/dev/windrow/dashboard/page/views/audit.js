/** The audit: the changes by operators and by retention, and the reads of confidential values, the newest first. */
import { address } from "../app/api.js";
import { number, word } from "../app/format.js";
import { Field } from "../app/forms.js";
import { html, useEffect, useState } from "../app/html.js";
import { jsonText } from "../app/json.js";
import { useKeys } from "../app/keys.js";
import { useLive } from "../app/live.js";
import { Empty, Head, Loaded, State, Table, Time } from "../app/parts.js";
import { go, to } from "../app/route.js";
import { useSettings } from "../app/settings.js";

const PAGE = 50;
const JOBS_SHOWN = 3;
const LONGEST_DETAIL = 300;
const FILTERS = ["action", "actor", "job", "from", "before"];

/** The verbs, by what they change. */
const ACTIONS = [
    ["Jobs", ["RETRY", "CANCEL", "TRIGGER", "COMPLETE", "FAIL", "SIGNAL", "MERGE_METADATA", "DELETE", "EXPIRE"]],
    ["Queues, types, keys", ["PAUSE", "RESUME", "LIMIT", "RATE"]],
    ["Schedules", ["SCHEDULE", "RUN", "REMOVE"]],
    ["Retention", ["RETAIN"]],
    ["Confidential values", ["REVEAL"]],
];

export default function Audit({ query }) {
    const filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""]));
    const after = query.get("after");
    const url = address("audit", { ...filter, after, limit: PAGE });
    const live = useLive(url);
    useKeys({ "/": () => document.querySelector("[name=actor]").focus() });
    return html`<${Head}
            title="Audit"
            facts="Changes by operators and by retention, and reads of confidential values, the newest first. Entries are kept for a year."
        />
        <${Filter} filter=${filter} />
        <${Loaded} live=${live}>${(page) => html`<${Page} key=${url} page=${page} filter=${filter} after=${after} />`}<//>`;
}

/** A choice is applied at once, what is typed with Enter. */
function Filter({ filter }) {
    const { zone } = useSettings();
    const [values, setValues] = useState(filter);
    useEffect(
        () => setValues(filter),
        FILTERS.map((name) => filter[name]),
    );
    const input =
        (name, read = (text) => text) =>
        (event) =>
            setValues({ ...values, [name]: read(event.target.value) });
    const submit = (event) => {
        event.preventDefault();
        if (FILTERS.some((name) => values[name] !== filter[name])) {
            go(to("audit", Object.fromEntries(FILTERS.map((name) => [name, values[name].trim()]))));
        }
    };
    const read = (text) => instant(text, zone);
    const zoneName = zone === "utc" ? "UTC" : "local time";
    return html`<form class="filters" aria-label="Filter the audit" onSubmit=${submit}>
        <label class="field"
            ><span>Change</span
            ><select class="input" value=${values.action} onChange=${(event) => go(to("audit", { ...filter, action: event.target.value }))}>
                <option value="">All</option>
                ${ACTIONS.map(
                    ([label, names]) =>
                        html`<optgroup label=${label}>${names.map((name) => html`<option value=${name}>${word(name)}</option>`)}</optgroup>`,
                )}
            </select></label
        >
        <${Field} name="actor" label="Actor" value=${values.actor} maxlength="200" onInput=${input("actor")} />
        <${Field} name="job" label="Job" value=${values.job} inputmode="numeric" pattern="[0-9]{1,19}" onInput=${input("job")} />
        <${Field} label=${`From, ${zoneName}`} type="datetime-local" value=${fieldTime(values.from, zone)} onInput=${input("from", read)} />
        <${Field} label=${`Before, ${zoneName}`} type="datetime-local" value=${fieldTime(values.before, zone)} onInput=${input("before", read)} />
        <div class="row">
            <button class="btn">Apply</button>
            ${FILTERS.some((name) => filter[name]) && html`<a href=${to("audit")}>Show all</a>`}
        </div>
    </form>`;
}

/** The value of a field for a time: without a zone, to the minute. */
function fieldTime(text, zone) {
    const at = new Date(text);
    if (!text || Number.isNaN(at.getTime())) {
        return "";
    }
    const shifted = zone === "utc" ? at : new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
    return shifted.toISOString().slice(0, 16);
}

function instant(text, zone) {
    const at = new Date(zone === "utc" ? text + "Z" : text);
    return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

function keyOf(entry) {
    return [entry.at, entry.action, entry.actor, entry.jobs[0]?.id].join(" ");
}

/** The entries as they were when the page was opened. Newer ones are shown on request, so that nothing moves while it is read. */
function Page({ page, filter, after }) {
    const [shown, show] = useState(page);
    const first = shown.audit[0] && keyOf(shown.audit[0]);
    const found = first ? page.audit.findIndex((entry) => keyOf(entry) === first) : page.audit.length;
    const newer = found < 0 ? page.audit.length : found;
    const filtered = FILTERS.some((name) => filter[name]);
    if (shown.audit.length === 0 && newer === 0) {
        return html`<div class="card">
            ${
                filtered || after
                    ? html`<${Empty} title="No change matches.">
                          ${filter.job && "An entry names its first 100 jobs only. "}<a href=${to("audit")}>Show all changes</a>
                      <//>`
                    : html`<${Empty} title="Nothing was changed yet.">
                          A retry, a cancel, a pause, a limit or a schedule by an operator appears here, with its actor and reason.
                      <//>`
            }
        </div>`;
    }
    return html`${
            newer > 0 &&
            html`<div>
                <button class="btn slim" type="button" onClick=${() => show(page)}>${number(newer)}${found < 0 ? " or more" : ""} newer</button>
            </div>`
        }
        <section class="card" aria-label="Changes">
            <${Table} caption="Changes, the newest first" columns=${["At", "Change", ["Actor", "p2"], ["Reason", "p2"], "Jobs"]}>
                ${shown.audit.map((entry) => html`<${Entry} key=${keyOf(entry)} entry=${entry} filter=${filter} />`)}
            <//>
            ${
                (after || shown.next) &&
                html`<div class="foot">
                    <span class="grow">${after && html`<a href=${to("audit", filter)}>Newest changes</a>`}</span>
                    ${shown.next && html`<a class="btn slim" href=${to("audit", { ...filter, after: shown.next })}>Older changes</a>`}
                </div>`
            }
        </section>`;
}

function Entry({ entry, filter }) {
    const { at, action, actor, reason, changed, jobs, detail } = entry;
    const by = html`<a href=${to("audit", { ...filter, actor })}><bdi>${actor}</bdi></a>`;
    return html`<tr>
        <th scope="row" class="nowrap"><${Time} at=${at} /></th>
        <td>
            <a href=${to("audit", { ...filter, action })}>${word(action)}</a
            >${detail !== null && html` <${Detail} detail=${detail} action=${action} />`}
            <div class="only-s small"><span class="muted">by</span> ${by}${reason && html`<br /><bdi>${reason}</bdi>`}</div>
        </td>
        <td class="p2">${by}</td>
        <td class="p2">${reason ? html`<bdi>${reason}</bdi>` : html`<span class="muted">-</span>`}</td>
        <td>${changed > 0 || jobs.length > 0 ? html`<${Jobs} jobs=${jobs} changed=${changed} />` : html`<span class="muted">-</span>`}</td>
    </tr>`;
}

/** The subjects that have a view of their own are links to it. */
const SUBJECTS = {
    queue: (name) => to("jobs", { queue: name }),
    type: (name) => to("jobs", { type: name }),
    key: (name) => to("jobs", { concurrencyKey: name }),
    errorCode: (name) => to("jobs", { errorCode: name }),
    schedule: (name) => to("schedules", { name }),
};

/** "maxRunning" as "max running". A schedule by the verb SCHEDULE needs no word. */
function label(name, action) {
    return name.toUpperCase() === action ? null : name.replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase()) + ": ";
}

function Detail({ detail, action }) {
    if (typeof detail !== "object") {
        return html`<bdi class="muted">${jsonText(detail, 0)}</bdi>`;
    }
    return Object.entries(detail).map(([name, value]) => {
        const text = typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : jsonText(value, 0);
        const short = text.length > LONGEST_DETAIL ? text.slice(0, LONGEST_DETAIL) + "..." : text;
        const link = typeof value === "string" && SUBJECTS[name]?.(value);
        const isTime = /(Before|After)$/.test(name);
        return html`<span class="small"
            ><span class="muted">${label(name, action)}</span
            >${isTime ? html`<${Time} at=${value} />` : link ? html`<a href=${link}><bdi>${short}</bdi></a>` : html`<bdi>${short}</bdi>`}${" "}</span
        >`;
    });
}

function Jobs({ jobs, changed }) {
    return html`${jobs
        .slice(0, JOBS_SHOWN)
        .map(
            ({ id, to: state }) =>
                html`<div key=${id} class="row">
                    <a href=${to(["jobs", id])}>${id}</a> ${state ? html`<${State} state=${state} />` : html`<span class="muted">deleted</span>`}
                </div>`,
        )}
    ${changed > Math.min(jobs.length, JOBS_SHOWN) && html`<span class="muted">${jobs.length > 0 ? "of " : ""}${number(changed)}</span>`}`;
}
