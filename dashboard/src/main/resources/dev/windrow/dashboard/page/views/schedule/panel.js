/** One schedule, beside the list: its actions, its next runs, its last runs. */
import { address } from "../../app/api.js";
import { number } from "../../app/format.js";
import { html, useEffect, useRef } from "../../app/html.js";
import { useKept, useLive } from "../../app/live.js";
import { Loaded, Table, Time, useNow } from "../../app/parts.js";
import { to } from "../../app/route.js";
import { Actions } from "./actions.js";
import { clockNotes, isKnown, localTime, utcTime } from "./clocks.js";
import { Runs } from "./runs.js";
import { when } from "./words.js";

export function Panel({ about, schedule, reload }) {
    const { name, paused, problem, sequenceKey, concurrencyKey, concurrencyLimit } = schedule;
    const key = concurrencyKey ?? sequenceKey;
    const panel = useRef(null);
    useEffect(() => panel.current.scrollIntoView({ block: "nearest" }), []);
    const runs = useLive(address(["schedules", name, "runs"], { limit: 20 }));
    return html`<section class="card" aria-labelledby="schedule-title" ref=${panel}>
        <header>
            <h2 id="schedule-title" class="wrap"><bdi>${name}</bdi></h2>
            <a class="btn slim bare" href=${to("schedules")}>Close</a>
        </header>
        <div class="pad stack">
            <${Actions} about=${about} schedule=${schedule} reload=${reload} />
            ${problem && html`<p class="bad">It enqueues no jobs: it ${problem}.</p>`}
            ${
                paused &&
                html`<p class="warn wrap">
                    Paused by <bdi>${schedule.pausedBy}</bdi>${", "}<${Time}
                        at=${schedule.pausedAt}
                        relative
                    />${schedule.reason && html`: <bdi>${schedule.reason}</bdi>`}
                </p>`
            }
            <dl class="facts">
                <dt>Runs</dt>
                <dd>${when(schedule)}</dd>
                ${
                    schedule.cron &&
                    html`<dt>Expression</dt>
                        <dd class="mono">${schedule.cron}</dd>`
                }
                <dt>Type</dt>
                <dd>
                    <a href=${to("jobs", { type: schedule.type })}><bdi>${schedule.type}</bdi></a>
                </dd>
                <dt>Queue</dt>
                <dd>
                    <a href=${to("jobs", { queue: schedule.queue })}><bdi>${schedule.queue}</bdi></a>
                </dd>
                ${
                    schedule.retryPolicy &&
                    html`<dt>Retry policy</dt>
                        <dd class="mono wrap">${schedule.retryPolicy}</dd>`
                }
                ${
                    key &&
                    html`<dt>Key</dt>
                        <dd>
                            <a class="mono wrap" href=${to(["queues", "keys", key])}><bdi>${key}</bdi></a
                            >${sequenceKey ? ", one job at a time" : concurrencyLimit ? `, at most ${number(concurrencyLimit)} at once` : ""}
                        </dd>`
                }
                <dt>Missed runs</dt>
                <dd>${MISFIRE[schedule.misfire]}</dd>
                <dt>Overlap</dt>
                <dd>${OVERLAP[schedule.overlap]}</dd>
            </dl>
            <h3>${paused ? "Next 10 runs if resumed now" : "Next 10 runs"}</h3>
            ${problem ? html`<p class="muted">None.</p>` : html`<${Next} schedule=${schedule} />`}
            <h3>Last runs</h3>
            <${Loaded} live=${runs}>
                ${(data) => (data.runs.length === 0 ? html`<p class="muted">No run yet.</p>` : html`<${Runs} name=${name} runs=${data.runs} />`)}
            <//>
        </div>
    </section>`;
}

const MISFIRE = { once: "run once", skip: "skip", all: "run each" };
const OVERLAP = { allow: "allow", skip: "skip while the last job is unfinished" };

/** The address of the next runs. An interval is counted from the next run. */
function previewOf({ cron, zone, every, startsAt, nextAt }) {
    return address("schedules/preview", every ? { every, startsAt: nextAt[0] ?? startsAt } : { cron, zone });
}

function Next({ schedule }) {
    // After each run of an interval the address is another one.
    const live = useKept(useLive(previewOf(schedule)));
    return html`<${Loaded} live=${live}>
        ${(data) => html`<${NextRuns} name=${schedule.name} runs=${data.nextAt} cron=${schedule.cron} zone=${schedule.zone} />`}
    <//>`;
}

/** The time until a run. The clock of the server is known to a second. */
export function Due({ at, now }) {
    return Date.parse(at) - now < 1000 ? "due now" : html`<${Time} at=${at} relative />`;
}

/** The next runs, in the zone of the expression and in UTC. */
export function NextRuns({ name, runs, cron, zone }) {
    const now = useNow();
    if (runs.length === 0) {
        return html`<p class="muted">There are no more runs.</p>`;
    }
    const local = zone && isKnown(zone);
    const notes = clockNotes(runs, cron, zone);
    return html`<${Table} css="flush" caption=${`Next runs of ${name}`} columns=${[local ? zone : "Time", [local ? "UTC" : "In", "num"]]}>
        ${runs.map(
            (run, i) =>
                html`<tr key=${i}>
                    <th scope="row">
                        ${local ? localTime(Date.parse(run), zone) : html`<${Time} at=${run} />`}
                        ${notes[i] && html`<br /><small class="warn">${notes[i]}</small>`}
                    </th>
                    <td class="num muted">${local ? utcTime(Date.parse(run), zone) : html`<${Due} at=${run} now=${now} />`}</td>
                </tr>`,
        )}
    <//>`;
}
