/** The jobs: search, states, the list with its pages, selection for bulk changes, and the new job. */
import { address } from "../app/api.js";
import { count, number } from "../app/format.js";
import { h, html, useEffect, useMemo, useRef, useState } from "../app/html.js";
import { useKeys } from "../app/keys.js";
import { useLive } from "../app/live.js";
import { ENDED, Empty, Failed, Head, Icon, Outdated, Skeleton, State, STATES, Time } from "../app/parts.js";
import { go, to } from "../app/route.js";
import { useRows } from "../app/rows.js";
import { useSettings } from "../app/settings.js";
import { changed, filterOf, isSearch, isTooWide, parameters, shown } from "./jobs/filter.js";
import { MOST_NEWER, ROWS, useJobPage } from "./jobs/page.js";
import { Search } from "./jobs/search.js";
import { JobTable, fixedAt } from "./jobs/table.js";

/** The selected jobs, kept beyond the view, so that they are still there after signing in again or coming back from a job. */
let kept = { list: null, jobs: new Map(), all: false };

/** A part of the view that is loaded when it is opened. */
function Part({ load, ...props }) {
    const [part, setPart] = useState(null);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
        load().then(
            (module) => setPart(() => module.default),
            () => setFailed(true),
        );
    }, []);
    if (failed) {
        return html`<${Outdated} />`;
    }
    return part && h(part, props);
}

async function dialogs(name) {
    return { default: (await import("./jobs/dialogs.js"))[name] };
}

export default function Jobs({ about, query, overview }) {
    const { rows } = useSettings();
    // Read once for an address: 1h means the same hour as long as the list is shown.
    const { filter, problems } = useMemo(() => filterOf(query), [query.toString()]);
    const limit = ROWS.includes(Number(query.get("limit"))) ? Number(query.get("limit")) : rows;
    const place = { after: query.get("after"), before: query.get("before"), order: query.get("order"), limit };
    const list = useJobPage(filter, place);
    const [dialog, setDialog] = useState(null);
    const [currentId, setCurrentId] = useState(null);
    const selection = useSelection(to("jobs", parameters(filter)));
    const link = (parts, more) => to("jobs", { ...parameters(parts), order: place.order, limit: query.get("limit"), ...more });
    const close = () => setDialog(null);
    // The rows of the last filter stay until the next ones arrive. They are no part of this selection.
    const jobs = list.isStale ? [] : list.page.rows;
    // As the list shows them now, not as they were when they were selected. A question may have shown a newer version.
    const chosen = [...selection.jobs.values()].map(
        (job) => jobs.find(({ id, version }) => id === job.id && BigInt(version) >= BigInt(job.version)) ?? job,
    );
    const isSelected = selection.size > 0;
    const wasSelected = useRef(isSelected);
    useEffect(() => {
        // The bar of the selection is gone, and the focus with it.
        if (wasSelected.current && !isSelected && document.activeElement === document.body) {
            document.getElementById("main").focus({ preventScroll: true });
        }
        wasSelected.current = isSelected;
    }, [isSelected]);
    const current = useRows(jobs.length, (i) => go(to(["jobs", jobs[i].id])), [
        jobs.findIndex(({ id }) => id === currentId),
        (i) => setCurrentId(jobs[i].id),
    ]);
    useKeys({
        x: () => current >= 0 && selection.toggle(jobs[current], jobs),
        Escape: () => selection.size > 0 && selection.clear(),
    });

    const enqueues = about.permissions.includes("enqueue");
    const back = link(filter, { after: place.after, before: place.before });
    return html`<${Head}
            title="Jobs"
            actions=${
                enqueues
                    ? html`<a class="btn main-act" href=${link(filter, { ...place, limit: query.get("limit"), new: "1" })}
                          ><${Icon} name="plus" />New job</a
                      >`
                    : html`<button class="btn" type="button" disabled title="Your role may not enqueue jobs.">New job</button>`
            }
        />
        <${Search} filter=${filter} change=${(parts) => go(link(parts))} data=${overview.data} reveals=${about.permissions.includes("reveal")} />
        ${
            problems.length > 0 &&
            html`<div class="banner warn" role="alert">
                <${Icon} name="warnsign" />
                <p class="wrap"><b>The list is without a filter of the address.</b> ${problems.join(" ")}</p>
            </div>`
        }
        <${States} filter=${filter} link=${link} data=${overview.data} />
        ${
            isTooWide(filter)
                ? html`<div class="banner">
                      <${Icon} name="info" />
                      <p>
                          <b>Add a state, a type, a queue or a tag.</b> A search in payloads or metadata reads the jobs one by one, so it needs one of
                          these beside it.
                      </p>
                  </div>`
                : html`<${Page}
                      list=${list}
                      filter=${filter}
                      place=${place}
                      link=${link}
                      overview=${overview}
                      current=${current}
                      selection=${selection}
                      columns=${() => setDialog({ columns: true })}
                      save=${about.permissions.includes("reveal") && !isSearch(filter) ? () => setDialog({ save: true }) : null}
                      enqueues=${enqueues}
                  />`
        }
        ${selection.size > 0 && html`<${Bulk} about=${about} filter=${filter} data=${overview.data} selection=${selection} chosen=${chosen} ask=${(action) => setDialog({ action })} />`}
        ${dialog?.columns && html`<${Part} load=${() => dialogs("Columns")} close=${close} />`}
        ${dialog?.save && html`<${Part} load=${() => dialogs("Export")} filter=${filter} close=${close} />`}
        ${
            dialog?.action &&
            html`<${Part}
                load=${() => import("../app/bulk.js")}
                action=${dialog.action}
                jobs=${selection.all ? null : chosen}
                filter=${changed(filter)}
                words=${filter.map(shown).join(" ") || "all jobs"}
                about=${about}
                data=${overview.data}
                close=${close}
                seen=${(moved) => {
                    selection.select([...chosen, ...moved]);
                    list.reload();
                }}
                done=${(isDone, moved) => {
                    selection.select(moved);
                    list.readAnew();
                    overview.reload();
                }}
            />`
        }
        ${
            enqueues &&
            (query.has("new") || query.has("copy")) &&
            html`<${Part}
                key=${query.get("copy")}
                load=${() => import("./jobs/new.js")}
                copy=${query.get("copy")}
                about=${about}
                data=${overview.data}
                close=${() => go(back)}
                done=${list.readAnew}
            />`
        }`;
}

/** The selection of the list at this address: single jobs, or all that match. */
function useSelection(list) {
    const [, render] = useState(0);
    const last = useRef(null);
    if (kept.list !== list) {
        kept = { list, jobs: new Map(), all: false };
    }
    const change = (jobs, all = false) => {
        kept = { list, jobs, all };
        render((n) => n + 1);
    };
    return {
        ...kept,
        has: (id) => kept.all || kept.jobs.has(id),
        size: kept.all ? Infinity : kept.jobs.size,
        clear: () => change(new Map()),
        select: (jobs) => change(new Map(jobs.map((job) => [job.id, job]))),
        selectAll: () => change(new Map(), true),
        /** Selects a job or not; with a range also the rows between it and the last one. */
        toggle(job, rows, range) {
            const jobs = new Map(kept.all ? rows.map((one) => [one.id, one]) : kept.jobs);
            const [from, end] = [rows.findIndex(({ id }) => id === last.current), rows.indexOf(job)].sort((a, b) => a - b);
            const on = !jobs.has(job.id);
            for (const one of range && from >= 0 ? rows.slice(from, end + 1) : [job]) {
                if (on) {
                    jobs.set(one.id, one);
                } else {
                    jobs.delete(one.id);
                }
            }
            last.current = job.id;
            change(jobs);
        },
        togglePage(rows) {
            const jobs = new Map(kept.jobs);
            const on = !kept.all && rows.some(({ id }) => !jobs.has(id));
            rows.forEach((job) => (on ? jobs.set(job.id, job) : jobs.delete(job.id)));
            change(jobs);
        },
    };
}

/** A link for each state. The numbers are known for all jobs, and for those of one queue or one type. */
function States({ filter, link, data }) {
    const set = filter.filter(([name]) => name === "state").map(([, value]) => value);
    const others = filter.filter(([name]) => name !== "state");
    const counts = countsOf(others, data);
    const all = counts && STATES.reduce((sum, state) => sum + counts[state], 0);
    return html`<nav class="tabs counts" aria-label="States">
        <a href=${link(others)} aria-current=${set.length === 0 ? "true" : null}
            >All${counts && html` <small class="muted">${number(all)}</small>`}</a
        >
        ${STATES.map(
            (state) =>
                html`<a href=${link([["state", state], ...others])} aria-current=${set.includes(state) ? "true" : null}>
                    <${State} state=${state} />${counts && html` <small class="muted">${number(counts[state])}</small>`}
                </a>`,
        )}
    </nav>`;
}

function countsOf(others, data) {
    if (!data || others.length > 1) {
        return null;
    }
    const [name, value] = others[0] ?? [];
    const counts = {
        undefined: () => data.states,
        queue: () => data.queues.find(({ queue }) => queue === value)?.states,
        type: () => data.types.find(({ type }) => type === value)?.states,
    }[name];
    return counts?.() ?? null;
}

function Page({ list, filter, place, link, overview, current, selection, columns, save, enqueues }) {
    const { page, problem, isStale, newer } = list;
    const card = useRef(null);
    const [found, setFound] = useState("");
    useEffect(() => {
        // The links to other pages are below the rows, and the new rows begin above.
        if (card.current?.getBoundingClientRect().top < 0) {
            card.current.scrollIntoView();
        }
        setFound(page ? `${count(page.rows.length, "job")} on this page` : "");
    }, [page?.key]);
    if (!page || (isStale && problem)) {
        return problem ? html`<${Failed} problem=${problem} retry=${list.reload} />` : html`<${Skeleton} />`;
    }
    const paused = new Set(overview.data?.queues.filter((queue) => queue.paused).map(({ queue }) => queue));
    const words = filter.map(shown).join(" ");
    const order = place.order === "oldest" ? "oldest" : "newest";
    const news = [
        newer > 0 && `${newer >= MOST_NEWER ? "More than " : ""}${number(newer >= MOST_NEWER ? MOST_NEWER - 1 : newer)} newer`,
        page.gone.size + page.entered > 0 && `${number(page.gone.size + page.entered)} changed`,
    ].filter(Boolean);
    return html`<p class="off" role="status">${found}</p>
        <section ref=${card} class="card" aria-label="Jobs found" aria-busy=${isStale ? "true" : null}>
            <header>
                ${news.length > 0 && html`<button class="btn slim" type="button" disabled=${list.busy} onClick=${list.readAnew}>${news.join(", ")}</button>`}
                ${
                    problem
                        ? html`<small class="bad">Not read again: ${problem.message}</small>`
                        : html`<small class="muted">${isStale ? "Loading" : html`List as of ${fixedAt(page)}`}</small>`
                }
                <div class="row">
                    <button class="btn slim bare p2" type="button" onClick=${columns}>Columns</button>
                    ${save && html`<button class="btn slim bare" type="button" onClick=${save}>Export</button>`}
                </div>
            </header>
            ${list.failure && html`<div class="pad"><${Failed} problem=${list.failure} /></div>`}
            ${
                page.rows.length > 0 &&
                html`<${JobTable}
                    caption=${`Jobs${words ? " with " + words : ""}, ${order} first`}
                    rows=${page.rows}
                    gone=${page.gone}
                    order=${order}
                    orderHref=${link(filter, { order: order === "oldest" ? null : "oldest" })}
                    at=${current}
                    selected=${selection}
                    toggle=${(job, range) => isStale || selection.toggle(job, page.rows, range)}
                    togglePage=${() => isStale || selection.togglePage(page.rows)}
                    pausedQueues=${paused}
                />`
            }
            ${page.rows.length === 0 && html`<${Nothing} page=${page} filter=${filter} place=${place} enqueues=${enqueues} />`}
            <${Foot} list=${list} place=${place} filter=${filter} link=${link} />
        </section>`;
}

/** The reason that the page has no rows. */
function Nothing({ page, filter, place, enqueues }) {
    if (page.next !== null) {
        return html`<${Empty} title="No job matches so far.">Continue with older jobs, or add a queue, a type or a state to look at fewer jobs.<//>`;
    }
    if (place.after || place.before) {
        return html`<${Empty} title="There are no jobs here."><a href=${to("jobs", parameters(filter))}>Back to the first page</a><//>`;
    }
    if (filter.length > 0) {
        return html`<${Empty} title="No job matches.">All jobs were looked at. <a href="#/jobs">Clear the filter</a><//>`;
    }
    return html`<${Empty} title="No jobs yet."
        >Enqueue one from your application${enqueues && html`, <a href=${to("jobs", { new: "1" })}>with the form</a>`}, or on the command line:${" "}
        <code>windrow enqueue exec -- true</code><//
    >`;
}

/** The number of jobs that were looked at, and the way to the next page. */
function Foot({ list, place, filter, link }) {
    const { page, busy } = list;
    const isPart = page.next !== null && (page.looked !== null || page.rows.length < place.limit);
    const older = place.order === "oldest" ? "Newer" : "Older";
    const previous = page.previous !== null ? link(filter, { before: page.previous }) : place.after ? link(filter) : null;
    return html`<div class="foot">
        <span class="grow">
            ${
                isPart
                    ? html`<${Looked} page=${page} />`
                    : page.looked !== null
                      ? `Looked at ${count(page.looked, "job")}: all.`
                      : count(page.rows.length, "job") + (page.next === null && page.rows.length > 0 ? ". The list ends here." : "")
            }
            ${page.skipped > 0 && ` ${count(page.skipped, "payload")} could not be read.`}
        </span>
        <div class="row">
            ${isPart && html`<button class="btn slim" type="button" disabled=${busy} onClick=${list.goOn}>Continue</button>`}
            <${Step} href=${previous}>${older === "Older" ? "Newer" : "Older"}<//>
            <${Step} href=${page.next !== null && !isPart ? link(filter, { after: page.next }) : null}>${older}<//>
        </div>
    </div>`;
}

function Step({ href, children }) {
    return href ? html`<a class="btn slim" href=${href}>${children}</a>` : html`<button class="btn slim" type="button" disabled>${children}</button>`;
}

/** "Looked at 20,000 jobs, back to 14:02." The cursor is the id of a job; the next older job tells its time. */
function Looked({ page }) {
    const { data } = useLive(address("jobs", { after: page.next, limit: 1 }), { once: true });
    const at = data?.jobs[0]?.createdAt;
    return html`Looked at ${page.looked === null ? "a part of the jobs" : count(page.looked, "job")}${at && html`, back to <${Time} at=${at} />`}.`;
}

/** The changes of the selected jobs, at the foot of the page. */
function Bulk({ about, filter, data, selection, chosen, ask }) {
    const operates = about.permissions.includes("operate");
    const destroys = operates && about.permissions.includes("destroy");
    const states = selection.all ? filter.filter(([name]) => name === "state").map(([, state]) => state) : chosen.map(({ state }) => state);
    const counts = countsOf(
        filter.filter(([name]) => name !== "state"),
        data,
    );
    const matching = counts && (states.length && selection.all ? states : statesOf(filter)).reduce((sum, state) => sum + counts[state], 0);
    const canSelectAll = !isSearch(filter); // a change has no search in payloads
    const button = ([action, label, css, from]) => {
        const fits = states.length === 0 || states.some((state) => from.includes(state));
        const reason = fits ? null : `No selected job is ${from.join(", ").toLowerCase()}.`;
        return html`<button class=${"btn slim " + css} type="button" disabled=${!fits} title=${reason} onClick=${() => ask(action)}>
            ${label}
        </button>`;
    };
    return html`<div class="bulk" role="region" aria-label="Selection">
        <span class="grow">
            ${selection.all ? html`<span role="status"><b>All</b> that match are selected.</span>` : html`<span role="status"><b>${number(selection.jobs.size)}</b> selected.</span>`}
            ${
                !selection.all &&
                canSelectAll &&
                html` <button class="btn slim bare" type="button" onClick=${selection.selectAll}>
                    Select all ${matching ? number(matching) : "that match"}
                </button>`
            }
        </span>
        ${operates ? ACTIONS.filter(([action]) => action !== "delete" || destroys).map(button) : html`<span class="muted">Your role may not change jobs.</span>`}
        <button class="btn slim bare" type="button" aria-label="Clear the selection" onClick=${selection.clear}><${Icon} name="close" /></button>
    </div>`;
}

const ACTIONS = [
    ["retry", "Retry", "main-act", ["FAILED", "CANCELLED"]],
    ["trigger", "Trigger", "", ["SCHEDULED"]],
    ["cancel", "Cancel", "", ["BLOCKED", "SCHEDULED", "PENDING", "RUNNING"]],
    ["delete", "Delete", "danger", ENDED],
];

function statesOf(filter) {
    const states = filter.filter(([name]) => name === "state").map(([, state]) => state);
    return states.length ? states : STATES;
}
