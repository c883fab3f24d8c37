/** The drawer that adds or edits a schedule, with a preview of its runs. */
import { address, change } from "../../app/api.js";
import { Dialog, showProblem, toast } from "../../app/dialogs.js";
import { Field, KeyFields, Reason, RetryField, Select, fieldOf, keyOf, keyValues } from "../../app/forms.js";
import { html, useEffect, useRef, useState } from "../../app/html.js";
import { isExact, withTyped } from "../../app/json.js";
import { useLive } from "../../app/live.js";
import { Loaded } from "../../app/parts.js";
import { go, to } from "../../app/route.js";
import { NextRuns } from "./panel.js";
import { when } from "./words.js";

const NEW = {
    name: "",
    type: "",
    queue: "",
    by: "cron",
    cron: "30 2 * * *",
    zone: localZone(),
    every: "10m",
    startsAt: "",
    misfire: "once",
    overlap: "allow",
    retryPolicy: "",
    concurrencyKey: "",
    concurrencyLimit: "",
    order: "",
    payload: "",
};
/** The fields of the times, whose problem the preview shows while they are typed. */
const TIMES = ["cron", "zone", "every", "startsAt"];
/** The fields of the part that is closed at first. */
const MORE = ["retryPolicy", "concurrencyKey", "concurrencyLimit"];
/** The fields that show the problem that names them. */
const FIELDS = ["name", "type", "queue", "reason", ...TIMES, ...MORE];
const SHOWN = 5;
/** The preview is read this long after the last key. */
const PAUSE_MILLIS = 250;

function localZone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
}

/** The fields of a stored schedule. What the form does not show is kept as it is. */
function fieldsOf(schedule) {
    return {
        ...NEW,
        name: schedule.name,
        type: schedule.type,
        queue: schedule.queue,
        by: schedule.every ? "every" : "cron",
        cron: schedule.cron ?? "",
        zone: schedule.zone ?? "UTC",
        every: schedule.every ?? "",
        startsAt: schedule.startsAt ?? "",
        misfire: schedule.misfire,
        overlap: schedule.overlap,
        retryPolicy: schedule.retryPolicy ?? "",
        ...keyValues(schedule),
        payload: schedule.payload === null ? "" : JSON.stringify(schedule.payload, null, 2),
    };
}

function timesOf({ by, cron, zone, every, startsAt }) {
    return by === "cron" ? { cron: cron.trim(), zone: zone.trim() } : { every: every.trim(), startsAt: startsAt.trim() };
}

/** @param name the schedule to edit; without it the form is for a new one */
export function Form({ name, taken, reload, close }) {
    const stored = useLive(name ? address(["schedules", name], { reveal: "true" }) : null, { once: true });
    return html`<${Dialog} title=${name ? "Edit schedule" : "Add schedule"} close=${close} drawer>
        ${
            name
                ? html`<${Loaded} live=${stored}
                      >${(schedule) =>
                          isExact([schedule.payload, schedule.metadata])
                              ? html`<${Fields} stored=${schedule} taken=${taken} reload=${reload} close=${close} />`
                              : html`<${Rounded} close=${close} />`}<//
                  >`
                : html`<${Fields} stored=${null} taken=${taken} reload=${reload} close=${close} />`
        }
    <//>`;
}

/** An edit stores the payload and the metadata again. */
function Rounded({ close }) {
    return html`<p>
            This browser would round numbers of the payload or the metadata, so the schedule cannot be edited in it. Use a newer browser, or the
            command line.
        </p>
        <div class="acts"><button class="btn" type="button" onClick=${close}>Close</button></div>`;
}

function Fields({ stored, taken, reload, close }) {
    const [values, setValues] = useState(() => (stored ? fieldsOf(stored) : NEW));
    const [problem, setProblem] = useState(null);
    const [busy, setBusy] = useState(false);
    const [more, setMore] = useState(Boolean(values.retryPolicy || values.concurrencyKey));
    const form = useRef(null);
    useEffect(() => form.current.querySelector(stored ? "[name=cron], [name=every]" : "[name=name]").focus(), []);
    const input = (name) => ({
        name,
        value: values[name],
        problem,
        onInput: (event) => {
            setValues({ ...values, [name]: event.target.value });
            // The problem was about the value before. A time may be wrong because of another one.
            setProblem((last) => (fieldOf(last, TIMES.includes(name) ? TIMES : [name]) ? null : last));
        },
    });
    const exists = !stored && taken.some((one) => one.name === values.name.trim());
    const submit = async (event) => {
        event.preventDefault();
        const reason = new FormData(event.target).get("reason");
        setProblem(null);
        setBusy(true);
        try {
            const name = values.name.trim();
            await change("PUT", address(["schedules", name]), bodyOf(values, stored, reason));
            toast(stored ? `Schedule ${name} was changed.` : `Schedule ${name} was added.`);
            reload();
            if (!event.target.isConnected) {
                return; // closed meanwhile
            }
            if (stored) {
                close();
            } else {
                go(to(["schedules", name]));
            }
        } catch (failure) {
            showProblem(failure, event.target, setProblem);
            setMore((open) => open || fieldOf(failure, MORE) !== null);
            setBusy(false);
        }
    };
    return html`<form class="stack" ref=${form} onSubmit=${submit}>
        <${Field} label="Name" required maxlength="100" readonly=${stored !== null} placeholder="nightly-report" ...${input("name")} />
        ${exists && html`<p class="warn">A schedule of this name exists. Choose another name, or edit that one.</p>`}
        <div class="two">
            <${Field} label="Type" required maxlength="100" placeholder="report.daily" ...${input("type")} />
            <${Field} label="Queue" maxlength="100" placeholder="default" ...${input("queue")} />
        </div>
        <div class="tabs" role="group" aria-label="Runs by">
            ${[
                ["cron", "At times"],
                ["every", "At an interval"],
            ].map(
                ([by, label]) =>
                    html`<button
                        type="button"
                        aria-pressed=${values.by === by}
                        onClick=${() => {
                            setValues({ ...values, by });
                            setProblem(null);
                        }}
                    >
                        ${label}
                    </button>`,
            )}
        </div>
        ${
            values.by === "cron"
                ? html`<div class="two">
                      <${Field} label="Cron expression" required maxlength="200" class="input mono" ...${input("cron")} />
                      <${Field} label="Zone" required maxlength="100" list=${Intl.supportedValuesOf?.("timeZone") ?? ["UTC"]} ...${input("zone")} />
                  </div>`
                : html`<div class="two">
                      <${Field} label="Interval" required placeholder="30s, 10m, 6h, 1d" ...${input("every")} />
                      <${Field} label="First run" placeholder="one interval from now" ...${input("startsAt")} />
                  </div>`
        }
        <${Preview} values=${values} quiet=${fieldOf(problem, TIMES) !== null} />
        <div class="two">
            <${Select}
                label="Missed runs"
                options=${[
                    ["once", "Run once (default)"],
                    ["skip", "Skip"],
                    ["all", "Run each"],
                ]}
                ...${input("misfire")}
            />
            <${Select}
                label="Overlap"
                options=${[
                    ["allow", "Allow (default)"],
                    ["skip", "Skip"],
                ]}
                ...${input("overlap")}
            />
        </div>
        <details open=${more} onToggle=${(event) => setMore(event.currentTarget.open)}>
            <summary>Retry policy, concurrency key</summary>
            <div class="stack pad-top">
                <${RetryField} input=${input} />
                <${KeyFields} values=${values} input=${input} />
            </div>
        </details>
        <${Field} label="Payload" rows="5" placeholder="JSON, or empty" ...${input("payload")} />
        <${Reason} problem=${problem} />
        ${problem && !fieldOf(problem, FIELDS) && html`<p class="bad wrap" role="alert">${problem.message}</p>`}
        <div class="acts">
            <button class="btn" type="button" onClick=${close}>Cancel</button>
            <button class="btn main-act" disabled=${busy || exists}>${stored ? "Save schedule" : "Add schedule"}</button>
        </div>
    </form>`;
}

/** The body of the request. A payload that is no JSON fails here, with words for the person. */
function bodyOf(values, stored, reason) {
    const payload = values.payload.trim();
    try {
        JSON.parse(payload || "null");
    } catch (e) {
        throw new Error("The payload is not JSON: " + e.message);
    }
    const times = Object.fromEntries(Object.entries(timesOf(values)).filter(([, value]) => value !== ""));
    const body = {
        ...kept(stored),
        type: values.type.trim(),
        queue: values.queue.trim() || undefined,
        ...times,
        misfire: values.misfire,
        overlap: values.overlap,
        retryPolicy: values.retryPolicy.trim() || undefined,
        ...keyOf(values),
        reason: reason || undefined,
    };
    return withTyped(body, payload ? { payload } : {});
}

/** Returns the values that the form does not show. They are stored again, because a schedule is replaced as a whole. */
function kept(stored) {
    const { jobName: name, priority, maxAttempts, timeout, tags, metadata } = stored ?? {};
    return Object.fromEntries(
        Object.entries({ name, priority, maxAttempts, timeout, tags, metadata }).filter(([, value]) => value !== null && value !== undefined),
    );
}

/**
 * The times in words, and the next runs; or the reason that the server refuses them.
 *
 * @param quiet true if a field shows the reason
 */
function Preview({ values, quiet }) {
    const [times, setTimes] = useState(timesOf(values));
    const now = timesOf(values);
    const text = JSON.stringify(now);
    useEffect(() => {
        const timer = setTimeout(() => setTimes(now), PAUSE_MILLIS);
        return () => clearTimeout(timer);
    }, [text]);
    const complete = times.cron || times.every;
    const live = useLive(complete ? address("schedules/preview", { ...times, count: SHOWN }) : null, { once: true });
    return html`<section class="preview" aria-label="Preview">
        <p role="status">
            ${!complete || (live.problem && quiet) ? "" : live.problem ? html`<span class="bad wrap">${live.problem.message}</span>` : `Runs ${when(times)}.`}
        </p>
        ${live.data && html`<${NextRuns} name=${values.name || "the schedule"} runs=${live.data.nextAt} cron=${times.cron} zone=${times.zone} />`}
    </section>`;
}
