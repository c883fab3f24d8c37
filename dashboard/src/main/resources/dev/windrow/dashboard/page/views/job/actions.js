/** The changes of one job. Each is made only if the job is still as the person saw it. */
import { address, change, download, persist, Problem } from "../../app/api.js";
import { Question, toast } from "../../app/dialogs.js";
import { Field } from "../../app/forms.js";
import { count, number, upper, word } from "../../app/format.js";
import { html, useRef, useState } from "../../app/html.js";
import { withTyped } from "../../app/json.js";
import { ENDED, Icon } from "../../app/parts.js";
import { go, to } from "../../app/route.js";
import { children } from "./family.js";
import { Menu } from "./menu.js";

/** The buttons at the head of a job: those that its state and the permissions allow, the most useful one first. */
export function Actions({ job, about, reasons, reload }) {
    const [asked, ask] = useState(null);
    const may = (permission) => about.permissions.includes(permission);
    const copy = may("enqueue") ? [["Copy as a new job", to("jobs", { copy: job.id })]] : [];
    const close = () => ask(null);
    const main = may("operate") ? mainVerb(job, reasons) : null;
    const others = may("operate") && !ENDED.includes(job.state) ? ["complete", "fail", "signal"].filter((verb) => verb !== main) : [];
    const more = [...others.map((verb) => [VERBS[verb].label + " ...", () => ask(verb)]), ...copy, ["Save as JSON", () => save(job.id)]];
    return html`${
            main &&
            html`<button class="btn main-act" type="button" onClick=${() => ask(main)}>
                ${main === "retry" && html`<${Icon} name="retry" />`}${VERBS[main].label}
            </button>`
        }
        ${may("operate") && !ENDED.includes(job.state) && html`<button class="btn" type="button" onClick=${() => ask("cancel")}>Cancel job</button>`}
        <${Menu} label="More" items=${more} />
        ${may("destroy") && ENDED.includes(job.state) && html`<button class="btn danger" type="button" onClick=${() => ask("delete")}>Delete</button>`}
        ${!may("operate") && html`<small class="muted">View only. A change needs the permission operate.</small>`}
        ${asked && html`<${Ask} key=${asked} verb=${asked} job=${job} about=${about} reasons=${reasons} reload=${reload} close=${close} />`}`;
}

/** Saves the job with its history, as the page shows it: redacted. */
async function save(id) {
    try {
        await download(address(["jobs", id]), `job-${id}.json`);
    } catch (problem) {
        toast(`Job ${id} was not saved: ${problem.message}`, { error: true });
    }
}

function mainVerb(job, reasons) {
    if (job.state === "FAILED" || job.state === "CANCELLED") {
        return "retry";
    }
    if (job.state === "SCHEDULED") {
        return "trigger";
    }
    const wait = reasons.find((reason) => reason.reason === "WAITS_FOR_EVENT");
    return wait ? (wait.event === null ? "complete" : "signal") : null;
}

/** Each change: its words, the fields of its question, its body, and the field with JSON that goes into the body as it was typed. The path is the name of the verb, except for a deletion. */
const VERBS = {
    retry: {
        label: "Retry",
        past: "retried",
        question: (job) => `Retry job ${job.id}?`,
        action: () => "Retry job",
        fields: RetryFields,
        body: (form) => ({
            attempts: form.get("attempts") ? Number(form.get("attempts")) : undefined,
            fromStart: form.get("fromStart") ? true : undefined,
            withDependents: form.get("withDependents") ? true : undefined,
        }),
        done: (job, answer, body) =>
            `Job ${job.id} is ${word(answer.state).toLowerCase()} again, with ${count(body.attempts ?? job.maxAttempts, "attempt")}.`,
    },
    trigger: {
        label: "Trigger",
        past: "triggered",
        question: (job) => `Trigger job ${job.id}?`,
        action: () => "Trigger job",
        fields: () => html`<p>The job is due now, and runs as soon as a worker has a free slot.</p>`,
        done: (job) => `Job ${job.id} is due now.`,
    },
    cancel: {
        label: "Cancel",
        past: "cancelled",
        question: (job) => `Cancel job ${job.id}?`,
        action: () => "Cancel job",
        keep: "Keep it",
        fields: CancelFields,
        done: (job, answer) => (answer.state === "RUNNING" ? `Job ${job.id} was asked to stop.` : `Job ${job.id} was cancelled.`),
    },
    complete: {
        label: "Complete",
        past: "completed",
        question: (job) => `Complete job ${job.id} without its handler?`,
        action: () => "Complete job",
        fields: () =>
            html`<p>${OUTSIDE}</p>
                <${JsonField} name="result" label="Result, as JSON" />`,
        json: "result",
        done: (job) => `Job ${job.id} was completed.`,
    },
    fail: {
        label: "Fail",
        past: "failed",
        question: (job) => `Fail job ${job.id} without its handler?`,
        action: () => "Fail job",
        danger: true,
        fields: () =>
            html`<p>${OUTSIDE} It gets no other attempt.</p>
                <${Field} name="errorCode" label="Error code" required maxlength="200" placeholder="CATEGORY:SUBCATEGORY" class="input mono" />
                <${Field} name="errorDetail" label="Detail" maxlength="500" />`,
        body: (form) => ({ errorCode: form.get("errorCode").trim(), errorDetail: form.get("errorDetail").trim() || undefined }),
        done: (job) => `Job ${job.id} was failed.`,
    },
    signal: {
        label: "Signal",
        past: "signalled",
        question: (job) => `Send an event to job ${job.id}?`,
        action: () => "Send event",
        fields: SignalFields,
        body: (form) => ({ event: form.get("event").trim() }),
        json: "payload",
        done: (job, answer) =>
            answer.kept
                ? `The event ${answer.name} was sent to job ${job.id}.`
                : `Job ${job.id} had the event ${answer.name} already. Nothing was changed.`,
    },
    delete: {
        label: "Delete",
        past: "deleted",
        question: (job) => `Delete job ${job.id} with its history?`,
        action: () => "Delete job",
        keep: "Keep it",
        danger: true,
        fields: () => html`<p>This cannot be undone. One line of the audit stays.</p>`,
        done: (job) => `Job ${job.id} was deleted.`,
    },
};

const OUTSIDE = "The job ends now. If an attempt runs, its end does not count.";

function RetryFields({ job, about }) {
    return html`<${Field}
            name="attempts"
            label="Maximum attempts"
            type="number"
            min="1"
            max="1000"
            placeholder=${"Unchanged: " + number(job.maxAttempts)}
        />
        ${
            job.steps.length > 0 &&
            html`<label class="row"
                ><input type="checkbox" name="fromStart" />From the start: delete its ${count(job.steps.length, "step")}, so that the handler does all
                of them again</label
            >`
        }
        ${
            job.awaitedBy.length > 0 &&
            about.queues === null &&
            html`<label class="row"><input type="checkbox" name="withDependents" />Also retry the jobs that were cancelled because of it</label>`
        }`;
}

function CancelFields({ job }) {
    const waiting = job.awaitedBy.length;
    return html`<p>
        ${job.state === "RUNNING" ? "Its handler is interrupted. The job ends when the handler stops." : "The job ends without a run. You can retry it later."}
        ${waiting > 0 && ` ${upper(children(job))} ${waiting === 1 ? "waits" : "wait"} for it.`}
    </p>`;
}

function SignalFields({ reasons }) {
    const awaited = reasons.find((reason) => reason.reason === "WAITS_FOR_EVENT")?.event ?? "";
    return html`<p>${awaited ? "The handler awaits this event." : "The event is kept until the handler awaits it."}</p>
        <${Field} name="event" label="Event" required maxlength="200" class="input mono" defaultValue=${awaited} />
        <${JsonField} name="payload" label="Payload, as JSON" />`;
}

function JsonField(field) {
    return html`<${Field} rows="4" placeholder="None" ...${field} />`;
}

/** Returns the field with JSON as it was typed, by its name; nothing if it is empty. */
function typedJson(form, name) {
    const text = form.get(name).trim();
    if (!text) {
        return {};
    }
    try {
        JSON.parse(text);
    } catch (problem) {
        throw new Error(`The ${name} is not JSON: ${problem.message}`);
    }
    return { [name]: text };
}

function Ask({ verb, job, about, reasons, reload, close }) {
    const { question, action, keep, danger, fields: Fields, body: bodyOf = () => ({}), json, done, past } = VERBS[verb];
    // The job that the person sees behind the question. A new version that changes nothing visible, such as a heartbeat, counts as seen.
    const seen = useRef(job);
    const version = useRef(job.version);
    const deleted = useRef(false);
    if (same(job, seen.current)) {
        version.current = job.version;
    }
    const run = async (form) => {
        const body = { ...bodyOf(form), reason: form.get("reason").trim() || undefined };
        const text = withTyped(body, json ? typedJson(form, json) : {});
        try {
            const path = address(verb === "delete" ? ["jobs", job.id] : ["jobs", job.id, verb], verb === "delete" ? { reason: body.reason } : {});
            const send = () => change(verb === "delete" ? "DELETE" : "POST", path, verb === "delete" ? undefined : text, version.current);
            const answer = await (verb === "cancel" ? persist(send, seen.current, version) : send());
            toast(done(seen.current, answer, body));
            if (verb === "delete") {
                deleted.current = true; // and not read again
                go(to("jobs"));
                return;
            }
        } catch (problem) {
            throw explained(problem, job, past, version);
        }
        reload();
    };
    return html`<${Question}
        title=${question(job)}
        action=${action(job)}
        keep=${keep ?? "Keep as it is"}
        danger=${danger}
        run=${run}
        close=${() => {
            close();
            if (!deleted.current) {
                reload();
            }
        }}
    >
        <${Fields} job=${seen.current} about=${about} reasons=${reasons} />
    <//>`;
}

function same(job, seen) {
    return job.state === seen.state && job.run === seen.run && job.attempt === seen.attempt;
}

/** Returns a refusal in words for the person: the reason and the next step. */
function explained(problem, job, past, version) {
    if (!(problem instanceof Problem)) {
        return problem;
    }
    const { kind, body, status } = problem;
    let text = problem.message;
    if (kind === "changed-meanwhile") {
        version.current = body.version ?? version.current;
        text = `Job ${job.id} was not ${past}: it changed meanwhile. It is ${word(body.state ?? "").toLowerCase()} now. Press the button again to change it as it is now.`;
    } else if (kind === "transition-refused") {
        text = `Job ${job.id} was not ${past}: ${problem.message}.`;
    } else if (kind === "dedupe-key-held") {
        text = `Job ${job.id} was not ${past}: job ${body.job} holds its dedupe key. Retry it when that job has ended.`;
    } else if (kind === "not-found") {
        text = `Job ${job.id} was not ${past}: it was deleted meanwhile.`;
    } else if (status === 0) {
        text = `${problem.message} If you press the button again, the change is made at most once.`;
    }
    return new Problem(status, { ...body, detail: text });
}
