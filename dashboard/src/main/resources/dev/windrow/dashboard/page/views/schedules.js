/** The schedules; #/schedules/NAME shows one beside them, ?edit=true its form, and ?add=true the form of a new one. */
import { address } from "../app/api.js";
import { count, duration } from "../app/format.js";
import { html, useEffect, useState } from "../app/html.js";
import { useKept, useLive } from "../app/live.js";
import { Empty, Head, Icon, Loaded, Table, Time, useNow } from "../app/parts.js";
import { go, replace, to } from "../app/route.js";
import { useRows } from "../app/rows.js";
import { Form } from "./schedule/form.js";
import { Due, Panel } from "./schedule/panel.js";
import { Dots } from "./schedule/runs.js";
import { cronWords, when } from "./schedule/words.js";

/** A run that begins so much later than it was due is late, as in the problems of the overview. */
const LATE_MILLIS = 60_000;
/** The outcomes of more schedules are not read with the list. */
const WITH_RUNS = 100;
const PAGE = 100;

export default function Schedules({ about, path, query }) {
    const [many, setMany] = useState(false);
    const live = useKept(useLive(address("schedules", { runs: many ? null : 10 })));
    const name = path[1];
    const schedules = live.data?.schedules;
    const tooMany = schedules?.length > WITH_RUNS;
    useEffect(() => {
        if (tooMany) {
            setMany(true);
        }
    }, [tooMany]);
    const now = useNow();
    const selected = schedules?.find((schedule) => schedule.name === name);
    const mayAdd = about.permissions.includes("control");
    const close = () => replace(to(path));
    return html`<${Head}
            title="Schedules"
            facts=${schedules?.length > 0 && facts(schedules, now)}
            actions=${mayAdd && html`<a class="btn main-act" href=${to("schedules", { add: "true" })}><${Icon} name="plus" />Add schedule</a>`}
        />
        <${Loaded} live=${live}>
            ${(data) =>
                data.schedules.length === 0
                    ? html`<section class="card">
                          <${Empty} title="No schedule yet.">
                              A schedule enqueues a job at certain times. Add one here, or with: windrow schedule add<//
                          >
                      </section>`
                    : html`<div class=${selected ? "sided" : "stack"}>
                          <${List} schedules=${data.schedules} name=${name} query=${query} now=${now} />
                          ${
                              name && !selected
                                  ? html`<section class="card">
                                        <${Empty} title="This schedule does not exist."><a href=${to("schedules")}>Show all schedules</a><//>
                                    </section>`
                                  : selected && html`<${Panel} key=${name} about=${about} schedule=${selected} reload=${live.reload} />`
                          }
                      </div>`}
        <//>
        ${mayAdd && query.get("add") && html`<${Form} taken=${schedules ?? []} reload=${live.reload} close=${close} />`}
        ${selected && mayAdd && about.permissions.includes("reveal") && query.get("edit") && html`<${Form} name=${name} taken=${[]} reload=${live.reload} close=${close} />`}`;
}

function lateness(schedule, now) {
    const due = schedule.nextAt[0];
    return due && now - Date.parse(due) > LATE_MILLIS ? now - Date.parse(due) : 0;
}

function facts(schedules, now) {
    const n = (test) => schedules.filter(test).length;
    const [paused, late, broken] = [n((one) => one.paused), n((one) => lateness(one, now) > 0), n((one) => one.problem)];
    return [count(schedules.length, "schedule"), paused && `${paused} paused`, late && `${late} late`, broken && `${count(broken, "problem")}`]
        .filter(Boolean)
        .join(", ");
}

function List({ schedules, name, query, now }) {
    const [shown, setShown] = useState(PAGE);
    const find = query.get("find") ?? "";
    const fitting = schedules.filter((one) => (one.name + " " + one.type).toLowerCase().includes(find.toLowerCase()));
    const rows = fitting.slice(0, shown);
    const at = useRows(rows.length, (i) => go(to(["schedules", rows[i].name], { find })));
    const set = (event) => replace(to(name ? ["schedules", name] : "schedules", { find: event.target.value }));
    return html`<section class="card" aria-label="Schedules">
        ${
            schedules.length > 10 &&
            html`<div class="pad">
                <input
                    class="input find"
                    type="search"
                    aria-label="Find by name or type"
                    placeholder="Name or type"
                    value=${find}
                    onInput=${set}
                    autocomplete="off"
                />
            </div>`
        }
        <${Table} caption="Schedules" columns=${["Schedule", ["When", "p2"], rows[0]?.runs && ["Last 10 runs", "p3"], "Next run"]}>
            ${rows.map((one, i) => html`<${Row} key=${one.name} schedule=${one} now=${now} at=${i === at} on=${one.name === name} find=${find} />`)}
        <//>
        ${rows.length === 0 && html`<${Empty} title="No schedule fits."><a href=${to("schedules")}>Show all schedules</a><//>`}
        ${
            fitting.length > shown &&
            html`<div class="foot">
                <span class="grow">${shown} of ${count(fitting.length, "schedule")}</span>
                <button class="btn slim" type="button" onClick=${() => setShown(shown + PAGE)}>Show more</button>
            </div>`
        }
        <${Legend} runs=${!!schedules[0].runs} />
    </section>`;
}

function Legend({ runs }) {
    if (!runs) {
        return html`<p class="foot small">Of more than ${WITH_RUNS} schedules the list has no outcomes. Open a schedule to see its outcomes.</p>`;
    }
    return html`<div class="foot small">
        ${[
            ["completed", "completed"],
            ["failed", "failed"],
            ["cancelled", "cancelled, skipped or missed"],
            ["running", "running"],
            ["pending", "waiting"],
        ].map(([icon, label]) => html`<span class=${"key s-" + icon}><${Icon} name=${icon} />${label}</span>`)}
    </div>`;
}

function Row({ schedule, now, at, on, find }) {
    const { name, type, cron, runs } = schedule;
    const words = when(schedule);
    return html`<tr class=${[at && "at", on && "on"].filter(Boolean).join(" ") || null}>
        <th scope="row">
            <a href=${to(["schedules", name], { find })} aria-current=${on ? "true" : null}><bdi>${name}</bdi></a>
            <br /><small class="muted"><bdi>${type}</bdi></small>
            <small class="only-s muted">${words}</small>
            ${runs?.length > 0 && html`<span class="only-m"><${Dots} runs=${runs} /></span>`}
        </th>
        <td class="p2 when">${words}${cron && cronWords(cron) && html`<br /><small class="muted mono">${cron}</small>`}</td>
        ${runs && html`<td class="p3"><${Dots} runs=${runs} /></td>`}
        <td class="next"><${NextRun} schedule=${schedule} now=${now} /></td>
    </tr>`;
}

function NextRun({ schedule, now }) {
    if (schedule.problem) {
        return html`<span class="bad">${schedule.problem}</span>`;
    }
    if (schedule.paused) {
        return html`<span class="warn nowrap"><${Icon} name="pause" /> Paused</span><br /><small class="muted"
                >by <bdi>${schedule.pausedBy}</bdi>${", "}<${Time} at=${schedule.pausedAt} relative
            /></small>`;
    }
    const [next] = schedule.nextAt;
    if (!next) {
        return html`<span class="muted">none</span>`;
    }
    return html`<${Time} at=${next} /><br />${
            lateness(schedule, now) > 0
                ? html`<small class="bad">${duration(lateness(schedule, now))} late</small>`
                : html`<small class="muted"><${Due} at=${next} now=${now} /></small>`
        }`;
}
