/** The form of a new job, empty or filled in from another job. */
import { address, change, get, parse, text as readText } from "../../app/api.js";
import { Dialog, showProblem, toast } from "../../app/dialogs.js";
import { Field, KeyFields, RetryField, Select, keyOf, keyValues } from "../../app/forms.js";
import { count } from "../../app/format.js";
import { html, useEffect, useState } from "../../app/html.js";
import { isExact, withTyped } from "../../app/json.js";
import { Failed, Skeleton } from "../../app/parts.js";
import { to } from "../../app/route.js";
import { parseTime } from "./filter.js";

/** A longer payload makes the page slow; the API has a limit of its own. */
const LONGEST_PAYLOAD = 1 << 20;
const DURATION = /^\d+(ms|s|m|h|d)$/;

const SCOPES = [
    ["", "until it ends"],
    ["until-started", "until it starts"],
    ["window", "for a time"],
    ["any", "as long as it exists"],
];

/** The fields of a job that was not enqueued, for the next time that the form is opened: a click beside it closes it. */
let draft = null;

export default function NewJob({ copy, about, data, close, done }) {
    const source = useSource(copy, about);
    if (source.problem) {
        return html`<${Dialog} drawer title="New job" close=${close}>
            <${Failed} problem=${source.problem} />
            <div class="acts"><button class="btn" type="button" onClick=${close}>Close</button></div>
        <//>`;
    }
    return html`<${Dialog} drawer title=${copy ? `Copy of job ${copy}` : "New job"} close=${close}>
        ${source.values ? html`<${Form} values=${source.values} copied=${Boolean(copy)} note=${source.note} data=${data} close=${close} done=${done} />` : html`<${Skeleton} />`}
    <//>`;
}

/** Reads the job to copy. Its payload is read as it is stored, because the listed one is redacted. */
function useSource(id, about) {
    const [source, setSource] = useState(id ? {} : { values: {} });
    useEffect(() => {
        if (id) {
            read(id, about).then(setSource, (problem) => setSource({ problem }));
        }
    }, []);
    return source;
}

async function read(id, about) {
    const job = await get(address(["jobs", id]));
    const values = {
        type: job.type,
        queue: job.queue,
        priority: job.priority,
        maxAttempts: job.maxAttempts,
        name: job.name,
        tags: job.tags.join(", "),
        timeout: job.timeout,
        retryPolicy: job.retryPolicy,
        ...keyValues(job),
        external: job.external,
    };
    if (!about.permissions.includes("reveal")) {
        return { values, note: "The payload and the metadata are not copied, because your role may not see confidential values." };
    }
    const [payload, revealed] = await Promise.all([
        job.payload === null ? "" : readText(address(["jobs", id, "payload"])),
        job.metadata === null ? {} : get(address(["jobs", id], { reveal: true })),
    ]);
    let note = null;
    if (isExact(revealed.metadata)) {
        values.metadata = revealed.metadata && JSON.stringify(revealed.metadata, null, 2);
    } else {
        note = "The metadata is not copied, because this browser would round its numbers.";
    }
    if (payload.length > LONGEST_PAYLOAD) {
        return {
            values,
            note: `The payload is not copied: it has ${count(payload.length, "character")}. Use windrow enqueue for one of this length.`,
        };
    }
    values.payload = indent(payload);
    return { values, note };
}

/** Returns the JSON with line ends, if this does not change its numbers. */
function indent(text) {
    const value = text && parse(text);
    return text && isExact(value) ? JSON.stringify(value, null, 2) : text;
}

const NO_FIELDS = {
    type: "",
    payload: "",
    queue: "",
    start: "",
    metadata: "",
    dedupeKey: "",
    dedupeScope: "",
    concurrencyKey: "",
    concurrencyLimit: "",
    order: "",
};
/** The fields of the part that is closed at first. */
const MORE = ["metadata", "dedupeKey", "concurrencyKey", "timeout", "retryPolicy", "external"];

function Form({ values, copied, note, data, close, done }) {
    const [fields, setFields] = useState({ ...NO_FIELDS, ...(copied ? {} : draft), ...filled(values) });
    const [busy, setBusy] = useState(false);
    const [problem, setProblem] = useState(null);
    const types = useNames("type");
    const queues = useNames("queue");
    useEffect(() => {
        if (!copied) {
            draft = Object.values(fields).some(Boolean) ? fields : null;
        }
    }, [fields]);
    const checks = {
        payload: fields.payload.trim() && jsonProblem(fields.payload),
        metadata:
            fields.metadata.trim() &&
            (jsonProblem(fields.metadata) ?? (fields.metadata.trim().startsWith("{") ? null : "The metadata must be an object.")),
        start: startProblem(fields.start),
    };
    const input = (name) => ({
        name,
        value: fields[name] ?? "",
        wrong: checks[name],
        onInput: (event) => setFields((all) => ({ ...all, [name]: event.target.value })),
    });
    const paused = data?.queues.find(({ queue }) => queue === (fields.queue || "default"))?.paused;
    const submit = async (event) => {
        event.preventDefault();
        const wrong = Object.keys(checks).find((name) => checks[name]);
        if (wrong) {
            event.target.elements[wrong].closest("details")?.setAttribute("open", "");
            event.target.elements[wrong].focus();
            return;
        }
        setBusy(true);
        setProblem(null);
        try {
            const job = await change("POST", address("jobs"), bodyOf(fields));
            draft = null;
            if (event.target.isConnected) {
                close();
            }
            done();
            toast(
                job.deduplicated
                    ? job.id
                        ? `Job ${job.id} holds the dedupe key. No job was enqueued.`
                        : "Another job holds the dedupe key. No job was enqueued."
                    : `Job ${job.id} was enqueued.`,
                { link: job.id && { href: to(["jobs", job.id]), text: "Show" } },
            );
        } catch (failure) {
            showProblem(failure, event.target, setProblem);
            setBusy(false);
        }
    };
    return html`<form class="stack" onSubmit=${submit}>
        ${note && html`<p class="small warn">${note}</p>`}
        <${Field}
            label="Type"
            required
            autofocus
            maxlength="100"
            list=${types}
            hint=${unknown(fields.type, types) && "No job of this type exists so far."}
            ...${input("type")}
        />
        <${Field} label="Payload (JSON)" rows="8" placeholder="None" ...${input("payload")} />
        <div class="two">
            <${Field} label="Queue" placeholder="default" maxlength="100" list=${queues} ...${input("queue")} />
            <${Field}
                label="Priority"
                placeholder="0"
                inputmode="numeric"
                pattern="-?[0-9]{1,5}"
                title="A number; a higher one runs first"
                ...${input("priority")}
            />
            <${Field} label="Start" placeholder="now" hint="now, 5m (in 5 minutes), 18:30 or 2026-11-28T18:30" ...${input("start")} />
            <${Field} label="Attempts" placeholder="3" inputmode="numeric" pattern="[0-9]{1,4}" title="1 to 1000" ...${input("maxAttempts")} />
            <${Field} label="Name" maxlength="200" ...${input("name")} />
            <${Field} label="Tags" placeholder="orders, vip" ...${input("tags")} />
        </div>
        <details open=${MORE.some((name) => fields[name])}>
            <summary>Keys, time limit, retries, metadata</summary>
            <div class="stack pad-top">
                <div class="two">
                    <${Field} label="Dedupe key" maxlength="200" ...${input("dedupeKey")} />
                    <${Select} label="The job holds it" options=${SCOPES} disabled=${!fields.dedupeKey} ...${input("dedupeScope")} />
                    ${fields.dedupeKey && fields.dedupeScope === "window" && html`<${Field} label="For" required pattern="[0-9]+(ms|s|m|h|d)" title="A time: 30s, 5m, 2h, 7d" placeholder="1h" ...${input("dedupeWindow")} />`}
                    <${Field}
                        label="Time limit of an attempt"
                        pattern="[0-9]+(ms|s|m|h|d)"
                        title="A time: 30s, 5m, 2h, 7d"
                        placeholder="That of the worker"
                        ...${input("timeout")}
                    />
                    <${Field}
                        label="Completed from outside within"
                        pattern="[0-9]+(ms|s|m|h|d)"
                        title="A time: 30s, 5m, 2h, 7d"
                        placeholder="A worker runs it"
                        ...${input("external")}
                    />
                </div>
                <${KeyFields} values=${fields} input=${input} />
                <${RetryField} input=${input} />
                <${Field} label="Metadata (a JSON object)" rows="3" ...${input("metadata")} />
            </div>
        </details>
        ${paused && html`<p class="small muted">The queue <bdi>${fields.queue || "default"}</bdi> is paused. The job is stored and waits until it is resumed.</p>`}
        ${problem && html`<${Failed} problem=${problem} />`}
        <div class="acts">
            ${!copied && draft && html`<button class="btn bare" type="button" onClick=${() => setFields(NO_FIELDS)}>Clear</button>`}
            <button class="btn" type="button" onClick=${close}>Cancel</button>
            <button class="btn main-act" disabled=${busy}>Enqueue</button>
        </div>
    </form>`;
}

function filled(values) {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === null || value === undefined ? "" : String(value)]));
}

/** Names of the store, for completion. Without an answer there is none. */
function useNames(field) {
    const [names, setNames] = useState([]);
    useEffect(() => {
        get(address("suggest", { field, limit: 100 })).then(
            (answer) => setNames(answer.names),
            () => {},
        );
    }, []);
    return names;
}

function unknown(type, types) {
    return type && types.length > 0 && types.length < 100 && !types.includes(type);
}

/** Returns the error in a JSON text with its place; null if there is none. */
function jsonProblem(text) {
    try {
        JSON.parse(text);
        return null;
    } catch (failure) {
        const at = /position (\d+)/.exec(failure.message);
        const before = at ? text.slice(0, at[1]).split("\n") : null;
        const where = before ? `Line ${before.length}, column ${before.at(-1).length + 1}: ` : "";
        return where + failure.message.replace(/ in JSON at position.*| \(line.*/s, "") + ".";
    }
}

function startProblem(start) {
    const value = start.trim();
    if (!value || value === "now" || DURATION.test(value)) {
        return null;
    }
    try {
        parseTime(value);
        return null;
    } catch (problem) {
        return problem.message.replace("1h (an hour ago)", "1h (in an hour)");
    }
}

/** Returns the request as JSON text. The payload and the metadata are in it as they were typed, so that no number is rounded. */
function bodyOf(fields) {
    const start = fields.start.trim();
    const members = {
        type: fields.type.trim(),
        queue: fields.queue.trim(),
        priority: fields.priority && Number(fields.priority),
        maxAttempts: fields.maxAttempts && Number(fields.maxAttempts),
        name: fields.name?.trim(),
        tags: fields.tags
            ?.split(",")
            .map((tag) => tag.trim())
            .filter(Boolean),
        timeout: fields.timeout?.trim(),
        dedupeKey: fields.dedupeKey,
        dedupeScope: fields.dedupeKey && fields.dedupeScope,
        dedupeWindow: fields.dedupeKey && fields.dedupeScope === "window" ? fields.dedupeWindow : "",
        retryPolicy: fields.retryPolicy?.trim(),
        ...keyOf(fields),
        external: fields.external?.trim(),
        delay: DURATION.test(start) ? start : "",
        at: start && start !== "now" && !DURATION.test(start) ? parseTime(start) : "",
    };
    const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== "" && value !== undefined && value?.length !== 0));
    const typed = ["payload", "metadata"].filter((name) => fields[name].trim()).map((name) => [name, fields[name]]);
    return withTyped(given, Object.fromEntries(typed));
}
