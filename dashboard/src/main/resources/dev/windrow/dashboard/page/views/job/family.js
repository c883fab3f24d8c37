/** The jobs beside a job: its parents, its children, and the chain that it belongs to. */
import { address } from "../../app/api.js";
import { count, number } from "../../app/format.js";
import { html, useEffect, useState } from "../../app/html.js";
import { useLive } from "../../app/live.js";
import { Card, ShowAll, State, Table, Time } from "../../app/parts.js";
import { to } from "../../app/route.js";

const SHOWN = 20;

/** The parents of a job that waits for them. */
export function Parents({ job }) {
    const [all, setAll] = useState(false);
    const parents = job.dependsOn;
    if (job.state !== "BLOCKED" || parents.length === 0) {
        return null; // the details name the parents of the others
    }
    // The ones in the way come first.
    const sorted = [...parents].sort((a, b) => (a.state === "COMPLETED") - (b.state === "COMPLETED"));
    const shown = all ? sorted : sorted.slice(0, SHOWN);
    const complete = parents.filter((parent) => parent.state === "COMPLETED").length;
    return html`<${Card} title="Parents" aside=${html`<small class="muted">${number(complete)} of ${number(parents.length)} complete</small>`}>
        <${Table} caption="Jobs that this job waits for" columns=${["Job", "State", "If it fails"]}>
            ${shown.map(
                (parent) =>
                    html`<tr key=${parent.id}>
                        <th scope="row"><a href=${to(["jobs", parent.id])}>${parent.id}</a></th>
                        <td><${State} state=${parent.state} /></td>
                        <td>${{ wait: "this job waits", cancel: "this job is cancelled", run: "this job runs" }[parent.onFailure]}</td>
                    </tr>`,
            )}
        <//>
        <${ShowAll} shown=${shown.length} all=${sorted.length} onClick=${() => setAll(true)} />
    <//>`;
}

/** The API names at most so many children. */
const MOST_CHILDREN = 1000;

/** "2 jobs", "at least 1,000 jobs" */
export function children({ awaitedBy: { length } }) {
    return (length < MOST_CHILDREN ? "" : "at least ") + count(length, "job");
}

export function Children({ job }) {
    const query = { parent: job.id, limit: SHOWN };
    const live = useLive(job.awaitedBy.length ? address("jobs", query) : null);
    const jobs = live.data?.jobs;
    if (!jobs || jobs.length === 0) {
        return null;
    }
    return html`<${Card} title="Children" aside=${html`<a href=${to("jobs", { parent: job.id })}>${children(job)}</a>`}>
        <${Jobs} jobs=${jobs} caption="Jobs that wait for this job" />
    <//>`;
}

/** The chain, if a job has continued with another one. It is read again when the job changes. */
export function Chain({ job }) {
    const live = useLive(job.chainIndex > 0 || job.state === "COMPLETED" ? address(["chains", job.chainId]) : null, { once: true });
    useEffect(() => live.reload(), [job.version]);
    const chain = live.data;
    if (!chain || chain.length < 2) {
        return null;
    }
    const from = Math.max(0, chain.jobs.findIndex((each) => each.id === job.id) - SHOWN / 2);
    return html`<${Card} title="Chain" aside=${html`<a href=${to("jobs", { chain: chain.id })}>${count(chain.length, "job")}</a>`}>
        <${Jobs} jobs=${chain.jobs.slice(from, from + SHOWN)} current=${job.id} caption="Jobs of the chain, the first one first" />
    <//>`;
}

function Jobs({ jobs, current, caption }) {
    return html`<${Table} caption=${caption} columns=${["Job", "Type", "State", ["Ended", "num"]]}>
        ${jobs.map(
            (job) =>
                html`<tr key=${job.id} class=${job.id === current ? "at" : null}>
                    <th scope="row">${job.id === current ? html`<b>${job.id}</b>` : html`<a href=${to(["jobs", job.id])}>${job.id}</a>`}</th>
                    <td>${job.type}${job.name && html`<br /><small class="muted"><bdi>${job.name}</bdi></small>`}</td>
                    <td><${State} state=${job.state} /></td>
                    <td class="num"><${Time} at=${job.finishedAt} relative /></td>
                </tr>`,
        )}
    <//>`;
}
