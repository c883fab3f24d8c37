/** The records of a job: steps, log lines, events. */
import { count, duration, number, preciseClock, time, word } from "../../app/format.js";
import { html, useEffect, useRef, useState } from "../../app/html.js";
import { jsonText, Tree } from "../../app/json.js";
import { breakable, Card, Choice, Empty, Icon, ShowAll, State, Table, Time } from "../../app/parts.js";
import { replace, to } from "../../app/route.js";
import { useSettings } from "../../app/settings.js";

const STEPS_SHOWN = 50;
const EVENTS_SHOWN = 40;
const SHORT_RESULT = 60;

/** The time of day to the millisecond; with the day if it is not today. */
function When({ at }) {
    const { zone } = useSettings();
    const day = time(at, zone).includes(",");
    return html`<time class="mono muted" datetime=${at} title=${at}>${day ? time(at, zone) : preciseClock(at, zone)}</time>`;
}

const STEP_STATES = { DONE: ["COMPLETED", "Done"], WAITING: ["BLOCKED", "Waits"], TIMED_OUT: ["FAILED", "Timed out"] };

export function Steps({ job }) {
    const [all, setAll] = useState(false);
    const steps = job.steps;
    if (steps.length === 0) {
        return null;
    }
    const shown = all ? steps : steps.slice(-STEPS_SHOWN);
    const done = steps.filter((step) => step.state === "DONE").length;
    return html`<${Card} title="Steps" aside=${html`<small class="muted">${number(done)} of ${number(steps.length)} done</small>`}>
        <${Table} caption="Durable steps" columns=${["Step", "State", ["Result", "p2"], ["At", "num"]]}>
            ${shown.map(
                (step) =>
                    html`<tr key=${step.name}>
                        <th scope="row">
                            <bdi>${step.name}</bdi>${step.kind !== "STEP" && html` <small class="muted">${step.kind.toLowerCase()}</small>`}
                        </th>
                        <td>
                            <${State} state=${STEP_STATES[step.state][0]}>${STEP_STATES[step.state][1]}<//>
                            ${
                                step.state === "WAITING" &&
                                step.untilAt &&
                                html`<br /><small class="muted">until <${Time} at=${step.untilAt} /></small>`
                            }
                        </td>
                        <td class="p2"><${Result} value=${step.result} /></td>
                        <td class="num"><${When} at=${step.at} /></td>
                    </tr>`,
            )}
        <//>
        <${ShowAll} shown=${shown.length} all=${steps.length} onClick=${() => setAll(true)} />
    <//>`;
}

function Result({ value }) {
    if (value === null) {
        return html`<span class="muted">-</span>`;
    }
    const text = jsonText(value, 0);
    return text.length <= SHORT_RESULT ? html`<bdi class="mono">${text}</bdi>` : html`<${Tree} name="result" value=${value} />`;
}

const LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"];
const LEVEL_CHOICES = [
    ["", "All"],
    ["INFO", "Info"],
    ["WARN", "Warn"],
    ["ERROR", "Error"],
];
const LEVEL_STYLES = { DEBUG: "muted", INFO: "", WARN: "warn", ERROR: "bad" };

/** The lines that the handlers have logged. It follows new lines until the reader scrolls up. */
export function Log({ job, query }) {
    const running = job.state === "RUNNING";
    const level = LEVELS.includes(query.get("log")) ? query.get("log") : "";
    const [follow, setFollow] = useState(running);
    const box = useRef(null);
    const lines = job.log.filter((line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(level));
    const last = lines.at(-1)?.at;
    useEffect(() => {
        if (follow && box.current) {
            box.current.scrollTop = box.current.scrollHeight;
        }
    }, [follow, last, lines.length]);
    const scrolled = () => {
        const { scrollTop, scrollHeight, clientHeight } = box.current;
        if (follow && scrollHeight - scrollTop - clientHeight > 40) {
            setFollow(false);
        }
    };
    if (job.log.length === 0) {
        return running && html`<${Card} title="Log"><p class="pad muted">The handler has logged nothing yet.</p><//>`;
    }
    const choose = (chosen) => replace(to(["jobs", job.id], { ...Object.fromEntries(query), log: chosen }));
    const aside = html`<div class="row">
        <${Choice} label="Level and above" values=${LEVEL_CHOICES} value=${level} choose=${choose} />
        <label class="row small"
            ><span class="check"><input type="checkbox" checked=${follow} onChange=${(event) => setFollow(event.target.checked)} /></span
            >Follow</label
        >
    </div>`;
    return html`<${Card} title="Log" aside=${aside}>
        <div class="scroll log-box" ref=${box} tabindex="0" role="region" aria-label="Log lines" onScroll=${scrolled}>
            ${job.droppedLines > 0 && html`<p class="pad muted">${count(job.droppedLines, "earlier line")} ${job.droppedLines === 1 ? "is" : "are"} not kept.</p>`}
            ${
                lines.length === 0
                    ? html`<${Empty} title="No line of this level.">${count(job.log.length, "line")} of other levels.<//>`
                    : html`<ol class="log pad">
                          ${lines.map(
                              (line, i) =>
                                  html`<li key=${line.at + i}>
                                      <${When} at=${line.at} /><span class=${LEVEL_STYLES[line.level]}>${line.level}</span><bdi>${line.message}</bdi>
                                  </li>`,
                          )}
                      </ol>`
            }
        </div>
    <//>`;
}

/** The icon of a state for each kind of event; others have a neutral one. */
const EVENT_STATES = {
    ENQUEUED: "pending",
    CLAIMED: "running",
    STARTED: "running",
    SUCCEEDED: "completed",
    FAILED: "failed",
    RETRY_SCHEDULED: "scheduled",
    SNOOZED: "scheduled",
    RELEASED: "pending",
    RECOVERED: "pending",
    RETRIED: "pending",
    CANCELLED: "cancelled",
    CANCEL_REQUESTED: "cancelled",
};

export function Events({ job }) {
    const [all, setAll] = useState(false);
    const events = job.events;
    const shown = all ? events : events.slice(-EVENTS_SHOWN);
    return html`<${Card} title="Events" aside=${html`<small class="muted">${number(events.length)}</small>`}>
        <div class="pad">
            ${
                shown.length < events.length &&
                html`<button class="btn slim" type="button" onClick=${() => setAll(true)}>
                    Show ${count(events.length - shown.length, "earlier event")}
                </button>`
            }
            <ol class="events">
                ${shown.map((event, i) => html`<${Event} key=${events.length - shown.length + i} event=${event} />`)}
            </ol>
        </div>
    <//>`;
}

function Event({ event }) {
    const state = EVENT_STATES[event.event];
    const delay = event.event === "RETRY_SCHEDULED" && event.detail?.delay;
    const text = delay ? "Retry in " + duration(Number(delay)) : word(event.event);
    return html`<li>
        <${When} at=${event.at} />
        <span class=${state ? "state s-" + state : "muted"}><${Icon} name=${state ?? "info"} /></span>
        <span class="wrap"
            >${text} <small class="muted"><bdi>${event.actor}</bdi></small>
            <${Detail} detail=${event.detail} />
        </span>
    </li>`;
}

/** The details of an event: its reason, its error code, its parent; the rest as names and values. */
function Detail({ detail }) {
    if (detail === null || typeof detail !== "object") {
        return null;
    }
    if (detail.fraction !== undefined) {
        return html`<br /><small class="muted">${Math.floor(Number(String(detail.fraction)) * 100)} % <bdi>${detail.message}</bdi></small>`;
    }
    const shown = Object.entries(detail).filter(([name]) => !["attempt", "run", "delay"].includes(name) && !(name === "due" && detail.delay));
    return shown.map(([name, value]) => {
        const text = typeof value === "string" ? value : jsonText(value, 0);
        return html`<br /><small class="muted"
                >${name + ": "}${name === "due" ? html`<${Time} at=${value} />` : html`<bdi>${name === "code" ? breakable(text) : text}</bdi>`}</small
            >`;
    });
}
