/** One job: what it is, why it does not run, how it got here, and the changes that its state allows. */
import { address } from "../app/api.js";
import { html, useEffect, useState } from "../app/html.js";
import { useLive } from "../app/live.js";
import { ENDED, Empty, Head, Loaded, State } from "../app/parts.js";
import { to } from "../app/route.js";
import { Actions } from "./job/actions.js";
import { Attempts } from "./job/attempts.js";
import { Documents } from "./job/documents.js";
import { Details } from "./job/details.js";
import { Chain, Children, Parents } from "./job/family.js";
import { Events, Log, Steps } from "./job/history.js";
import { Life } from "./job/life.js";
import { Banner, Why } from "./job/why.js";

export default function View({ about, path, query, overview }) {
    return html`<${Job} key=${path[1]} id=${path[1]} about=${about} query=${query} overview=${overview} />`;
}

function Job({ id, about, query, overview }) {
    const [missing, setMissing] = useState(false);
    const live = useLive(missing ? null : address(["jobs", id]));
    const [last, setLast] = useState(null);
    useEffect(() => {
        setLast(live.data ?? last);
        setMissing(missing || live.problem?.status === 404);
    }, [live.data, live.problem]);
    if (missing) {
        return html`<${Missing} id=${id} job=${last} />`;
    }
    return html`${!live.data && html`<${Head} crumbs=${html`<a href=${to("jobs")}>Jobs</a> / ${id}`} title=${"Job " + id} />`}
        <${Loaded} live=${live}
            >${(job) => html`<${Shown} job=${job} about=${about} query=${query} overview=${overview} reload=${live.reload} />`}<//
        >`;
}

function Missing({ id, job }) {
    return html`<${Head} crumbs=${html`<a href=${to("jobs")}>Jobs</a> / ${id}`} title=${"Job " + id} />
        <div class="card">
            <${Empty} title=${job ? "This job was deleted meanwhile." : "This job does not exist."}>
                ${job ? `It was ${job.state.toLowerCase()}. ` : "Retention or an operator may have deleted it, or the id is of another store. "}
                <a href=${to("audit", { job: id })}>The audit</a> has the changes of the job. <a href=${to("jobs")}>All jobs</a>
            <//>
        </div>`;
}

function Shown({ job, about, query, overview, reload }) {
    const ended = ENDED.includes(job.state);
    const explained = useLive(ended ? null : address(["jobs", job.id, "explain"]));
    useEffect(() => {
        document.title = `${job.type} ${job.id}, ${job.state.toLowerCase()} - Windrow`;
    }, [job.state]);
    useEffect(() => explained.reload(), [job.version]);
    const crumbs = html`<a href=${to("jobs")}>Jobs</a> / <a class="wrap" href=${to("jobs", { type: job.type })}>${job.type}</a> / ${job.id}`;
    const title = html`<span class="wrap">${job.type}</span> <span class="muted">${job.id}</span> <${State} state=${job.state} pill />`;
    return html`<${Head}
            crumbs=${crumbs}
            title=${title}
            facts=${job.name && html`<bdi class="wrap">${job.name}</bdi>`}
            actions=${html`<${Actions} job=${job} about=${about} reasons=${explained.data?.reasons ?? []} reload=${reload} />`}
        />
        <${Banner} job=${job} failures=${overview.data?.failures ?? []} />
        ${explained.data && html`<${Why} job=${job} explanation=${explained.data} about=${about} reload=${reload} />`}
        <${Life} job=${job} />
        <div class="sided">
            <div class="stack">
                <${Parents} job=${job} />
                <${Attempts} job=${job} about=${about} />
                <${Documents} job=${job} about=${about} />
                <${Steps} job=${job} />
                <${Log} job=${job} query=${query} />
                <${Children} job=${job} />
                <${Chain} job=${job} />
            </div>
            <div class="stack">
                <${Details} job=${job} about=${about} />
                <${Events} job=${job} />
            </div>
        </div>`;
}
