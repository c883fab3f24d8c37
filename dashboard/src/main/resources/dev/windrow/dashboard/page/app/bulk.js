/**
 * A change of many jobs: a question with their number, then parts of at most 1000, with progress. Named jobs are changed only if they are as the list has
 * shown them. Other jobs match a filter with an end time that is fixed before the question. So jobs that end or are enqueued meanwhile are not changed,
 * and a retried job that fails again is not retried a second time.
 */
import { address, change, get, REPEATS, serverNow } from "./api.js";
import { Dialog, toast } from "./dialogs.js";
import { count as counted, duration, number } from "./format.js";
import { Field, Reason, takeFocus } from "./forms.js";
import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { Bar, Failed, Skeleton, Time } from "./parts.js";
import { to } from "./route.js";

const PART = 1000;
const PAGE = 200;
const MOST_SHOWN = 20;

/**
 * The changes: their words, the states of the jobs that they apply to, and the time of the filter that is fixed. A job in the state "walked" may still
 * be in it after the change, or again, so the jobs in it are listed once and changed by their ids.
 */
const ACTIONS = {
    retry: { verb: "Retry", past: "retried", states: ["FAILED", "CANCELLED"], end: "finishedBefore" },
    trigger: { verb: "Trigger", past: "triggered", states: ["SCHEDULED"], walked: "SCHEDULED", end: "createdBefore" },
    cancel: {
        verb: "Cancel",
        past: "cancelled",
        states: ["BLOCKED", "SCHEDULED", "PENDING", "RUNNING"],
        walked: "RUNNING",
        end: "createdBefore",
    },
    delete: { verb: "Delete", past: "deleted", states: ["COMPLETED", "FAILED", "CANCELLED"], end: "finishedBefore", danger: true },
};

/** Problems of a part that concern single jobs, so that the others of the part can still be changed. */
const OF_ONE_JOB = [404, 409];

/**
 * Asks for a change and makes it.
 *
 * @param action retry, trigger, cancel or delete
 * @param jobs the jobs as a list has shown them; null: those that match the filter
 * @param filter the filter in the form of POST /jobs/change
 * @param words the filter as a person reads it
 * @param options the options of a retry at first
 * @param data the overview, for the pauses of queues
 * @param done called when the dialog closes after a change, with true if all of the jobs were changed, and the jobs that have changed meanwhile
 * @param seen called when it closes without a change, with the jobs that have changed meanwhile, as they are now
 */
export default function BulkDialog({ action, jobs, filter, words, options = {}, about, data, close, done, seen = () => {} }) {
    const { states, end } = ACTIONS[action];
    const [phase, setPhase] = useState("ask");
    const [how, setHow] = useState(options);
    const [progress, setProgress] = useState({ done: 0, refused: [], skipped: 0, problem: null, finished: false });
    const stopped = useRef(false);
    const reason = useRef(undefined);
    const target = useMemo(() => {
        const able = jobs?.filter(({ state }) => states.includes(state)).map((job) => ({ ...job }));
        return jobs
            ? { jobs: able, left: [...able], moved: [], others: jobs.length - able.length }
            : { filter: fixed(filter, end, new Date(serverNow()).toISOString()), left: [], next: null, moved: [], others: 0 };
    }, []);
    const count = useCount(action, target, how);
    const stopsRunning =
        action === "cancel" && (jobs ? jobs.some(({ state }) => state === "RUNNING") : (filter.state ?? ["RUNNING"]).includes("RUNNING"));
    useEffect(() => () => (stopped.current = true), []);

    const run = async () => {
        stopped.current = false;
        setPhase("run");
        const report = (changes) => setProgress((last) => ({ ...last, problem: null, ...changes(last) }));
        try {
            const body = { action, ...how, reason: reason.current };
            await (target.jobs ? changeNamed(target, body, stopped, report) : changeMatching(target, body, stopped, report));
        } catch (problem) {
            report(() => ({ problem }));
        }
        setPhase("end");
    };
    const isDone = progress.finished && !progress.refused.length && !progress.skipped;
    const leave = () => {
        stopped.current = true;
        close();
        if (phase !== "ask") {
            done(isDone, target.moved);
        } else if (target.moved.length > 0) {
            seen(target.moved);
        }
    };
    const total = count.result?.changed ?? 0;
    useEffect(() => {
        // Nothing to read: a message is enough.
        if (phase === "end" && isDone) {
            leave();
            toast(
                `${counted(progress.done, "job")} ${progress.done === 1 ? "was" : "were"} ${ACTIONS[action].past}.${stopsRunning ? " Running ones were asked to stop." : ""}`,
            );
        }
    }, [phase]);

    const noun = how.withDependents ? "" : nounOf(target, filter);
    return phase === "ask"
        ? html`<${Ask}
              action=${action}
              target=${target}
              noun=${noun}
              stopsRunning=${stopsRunning}
              words=${words}
              count=${count}
              how=${how}
              setHow=${setHow}
              about=${about}
              data=${data}
              run=${(why) => {
                  reason.current = why || undefined;
                  run();
              }}
              close=${leave}
          />`
        : html`<${Run}
              action=${action}
              noun=${noun}
              total=${total}
              atLeast=${count.result?.atLeast}
              phase=${phase}
              progress=${progress}
              stop=${() => (stopped.current = true)}
              goOn=${run}
              close=${leave}
          />`;
}

/** Returns the filter with this end, unless its own is earlier. */
function fixed(filter, name, at) {
    return { ...filter, [name]: filter[name] && new Date(filter[name]) < new Date(at) ? filter[name] : at };
}

/** "failed " if all of the jobs are in this one state. */
function nounOf(target, filter) {
    const states = target.jobs ? [...new Set(target.jobs.map(({ state }) => state))] : (filter.state ?? []);
    return states.length === 1 ? states[0].toLowerCase() + " " : "";
}

/** "completed, failed or cancelled" */
function namesOf(states) {
    return states
        .join(", ")
        .toLowerCase()
        .replace(/, (\w+)$/, " or $1");
}

/** Counts the jobs by a dry run, again after each change of the options. Until then the last count is shown, which is that of other options. */
function useCount(action, target, how) {
    const [shown, setShown] = useState({ result: null, problem: null });
    const [round, setRound] = useState(0);
    useEffect(() => {
        let current = true;
        const from = Date.now();
        const show = (found) =>
            current && setShown({ how, at: new Date(from).toISOString(), millis: Date.now() - from, result: null, problem: null, ...found });
        const body = { action, ...how, dryRun: true };
        (target.jobs ? countNamed(target, body) : change("POST", address("jobs/change"), { ...body, filter: target.filter })).then(
            (result) => show({ result }),
            (problem) => show({ problem }),
        );
        return () => {
            current = false;
        };
    }, [how, round]);
    return { ...shown, isOld: shown.how !== how, again: () => setRound((n) => n + 1) };
}

/** Counts named jobs, with the others that the options add. Jobs that have changed meanwhile are left out from now on. */
async function countNamed(target, body) {
    const { jobs } = target;
    const sum = { changed: 0, skipped: 0, atLeast: false };
    for (let i = 0; i < jobs.length; i += PART) {
        const part = jobs.slice(i, i + PART);
        try {
            const { result, moved } = await changeTogether(part, body);
            sum.changed += result.changed;
            sum.skipped += result.skipped;
            leaveOut(target, moved);
        } catch (problem) {
            if (!OF_ONE_JOB.includes(problem.status)) {
                throw problem;
            }
            // The change finds out which job has changed since. Without it, the others are not counted.
            sum.changed += part.length;
            sum.atLeast ||= Boolean(body.withDependents);
        }
    }
    return { ...sum, ids: target.jobs.map(({ id }) => id) };
}

function leaveOut(target, moved) {
    const isMoved = ({ id }) => moved.some((job) => job.id === id);
    target.moved.push(...moved.filter(({ id }) => target.jobs.some((job) => job.id === id)));
    target.jobs = target.jobs.filter((job) => !isMoved(job));
    target.left = target.left.filter((job) => !isMoved(job));
}

/**
 * Changes these jobs in one transaction, or counts them. A job whose version is known is changed only if it still has this version. If some have
 * changed, the others are changed without them. To a cancel it makes no difference that a job has changed and stays in its state, as by a heartbeat.
 *
 * @return the result, and the jobs that have changed, as they are now
 */
async function changeTogether(jobs, body) {
    let left = [...jobs];
    const moved = [];
    for (let i = 0; left.length > 0; i++) {
        const named = left[0].version ? { jobs: left.map(({ id, version }) => ({ id, version })) } : { ids: left.map(({ id }) => id) };
        try {
            return { result: await change("POST", address("jobs/change"), { ...body, ...named }), moved };
        } catch (problem) {
            if (problem.kind !== "changed-meanwhile") {
                throw problem;
            }
            const now = new Map(problem.body.jobs.map((job) => [job.id, job]));
            const stays = (job) => body.action === "cancel" && i < REPEATS && now.get(job.id).state === job.state;
            moved.push(...left.filter((job) => now.has(job.id) && !stays(job)).map((job) => ({ ...job, ...now.get(job.id) })));
            left = left.filter((job) => !now.has(job.id) || stays(job)).map((job) => ({ ...job, ...now.get(job.id) }));
        }
    }
    return { result: { changed: 0, skipped: 0 }, moved };
}

/** Changes the jobs that match: those in the states that the change ends, until a part is not full, and then those in the state that is walked. */
async function changeMatching(target, body, stopped, report) {
    const { states, walked } = ACTIONS[body.action];
    const wanted = states.filter((state) => target.filter.state?.includes(state) ?? true);
    const ending = wanted.filter((state) => state !== walked);
    const filter = walked ? { ...target.filter, state: ending } : target.filter;
    let isFull = ending.length > 0;
    while (isFull && !stopped.current) {
        const result = await change("POST", address("jobs/change"), { ...body, filter, max: PART });
        // Each part looks at the refused jobs of the parts before again, so the last number is that of all.
        report(({ done }) => ({ done: done + result.changed, skipped: result.skipped }));
        isFull = result.changed >= PART;
    }
    let isWalking = wanted.includes(walked);
    while (isWalking && !stopped.current) {
        isWalking = await changePart(target, walked, body, stopped, report);
    }
    report(() => ({ finished: !isFull && !isWalking }));
}

/** Changes the next jobs in a state, by their ids. Returns true if there are more. */
async function changePart(target, state, body, stopped, report) {
    if (target.left.length === 0) {
        do {
            const page = await get(address("jobs", { ...target.filter, state, limit: PAGE, after: target.next }));
            target.left.push(...page.jobs.map(({ id }) => ({ id }))); // any version of them matches
            target.next = page.next;
        } while (target.next !== null && target.left.length < PART && !stopped.current);
    }
    // A job that is in another state by now does not match any more. It is no refusal.
    await changeNamed(target, body, stopped, (changes) => report((last) => ({ done: changes(last).done ?? last.done })));
    return target.left.length > 0 || target.next !== null;
}

/**
 * Changes named jobs: a part together, or one by one if one of them cannot be changed. Takes each job out of the list when it is done or refused.
 */
async function changeNamed(target, body, stopped, report) {
    let alone = 0;
    while (target.left.length > 0 && !stopped.current) {
        const part = target.left.slice(0, alone > 0 ? 1 : PART);
        try {
            const { result, moved } = await changeTogether(part, body);
            target.moved.push(...moved);
            report(({ done, refused }) => ({ done: done + result.changed, refused: [...refused, ...moved] }));
        } catch (problem) {
            if (!OF_ONE_JOB.includes(problem.status)) {
                throw problem;
            }
            if (part.length > 1) {
                alone = part.length;
                continue;
            }
            report(({ refused }) => ({ refused: [...refused, { id: part[0].id, problem }] }));
        }
        target.left.splice(0, part.length);
        alone--;
    }
    report(() => ({ finished: target.left.length === 0 }));
}

function Ask({ action, target, noun, stopsRunning, words, count, how, setHow, about, data, run, close }) {
    const [typed, setTyped] = useState("");
    const { verb, states, danger, end } = ACTIONS[action];
    const { result, problem } = count;
    if (problem) {
        return html`<${Dialog} title=${verb + " jobs"} close=${close}>
            <${Failed} problem=${problem} retry=${count.again} />
            <div class="acts"><button class="btn" type="button" onClick=${close}>Close</button></div>
        <//>`;
    }
    if (!result) {
        return html`<${Dialog} title="Counting the jobs" close=${close}><${Skeleton} rows=${3} /><//>`;
    }
    if (result.changed === 0) {
        return html`<${Dialog} title=${`No job to ${verb.toLowerCase()}`} close=${close}>
            <p>
                No job that matches can be changed: it must be ${namesOf(states)}.${" "}
                <${Staying} action=${action} skipped=${result.skipped} />
            </p>
            <${Moved} jobs=${target.moved} />
            <div class="acts"><button class="btn" type="button" autofocus ref=${takeFocus} onClick=${close}>Close</button></div>
        <//>`;
    }
    const jobs = counted(result.changed, "job");
    const most = result.atLeast ? "at least " : "";
    const paused = pausedQueue(target, data);
    const notes = [
        result.atLeast &&
            (target.jobs
                ? "Some of the jobs cannot be changed, so their dependents are not counted."
                : "Counting stopped after a second, so there may be more."),
        result.changed > PART && `Runs in parts of ${number(PART)}. You can stop between parts.`,
        !target.jobs && `Jobs that ${end === "finishedBefore" ? "end" : "are enqueued"} from now on are not changed.`,
    ].filter(Boolean);
    const change = (name) => (event) => setHow({ ...how, [name]: event.target.checked || undefined });
    const submit = (event) => {
        event.preventDefault();
        run(new FormData(event.target).get("reason"));
    };
    return html`<${Dialog}
        title=${`${verb} ${most}${number(result.changed)} ${noun}${result.changed === 1 ? "job" : "jobs"}${danger ? ` with ${result.changed === 1 ? "its" : "their"} history` : action === "trigger" ? " now" : ""}?`}
        close=${close}
    >
        <form class="stack" onSubmit=${submit}>
            ${danger && html`<p>This cannot be undone. One line of the audit stays for each part.</p>`}
            <dl class="facts">
                ${
                    !target.jobs &&
                    html`<dt>Filter</dt>
                        <dd class="mono"><bdi>${words}</bdi></dd>
                        <dt>Counted</dt>
                        <dd>at <${Time} at=${count.at} />, in ${duration(count.millis)}</dd>`
                }
                <dt>${target.jobs ? "Selected" : "Examples"}</dt>
                <dd>
                    ${result.ids.slice(0, target.jobs ? 10 : 3).map((id, i) => html`${i > 0 && ", "}<a href=${to(["jobs", id])} target="_blank" rel="opener">${id}</a>`)}${target.jobs?.length > 10 && ` and ${number(target.jobs.length - 10)} others`}
                </dd>
                ${
                    (target.others > 0 || result.skipped > 0) &&
                    html`<dt>Left out</dt>
                        <dd>
                            ${target.others > 0 && `${counted(target.others, "selected job")}: not ${namesOf(states)}. `}<${Staying}
                                action=${action}
                                skipped=${result.skipped}
                            />
                        </dd>`
                }
                ${
                    target.moved.length > 0 &&
                    html`<dt>Changed</dt>
                        <dd><${Moved} jobs=${target.moved} /></dd>`
                }
                ${
                    paused &&
                    (action === "retry" || action === "trigger") &&
                    html`<dt>Of these</dt>
                        <dd>${paused}</dd>`
                }
                ${
                    stopsRunning &&
                    html`<dt>Running</dt>
                        <dd>A running job is asked to stop. Its handler may take a while.</dd>`
                }
            </dl>
            ${
                action === "retry" &&
                html`<div class="stack tight">
                    <label class="row"
                        ><input type="checkbox" checked=${Boolean(how.fromStart)} onChange=${change("fromStart")} />Do completed steps again</label
                    >
                    ${
                        about.queues === null &&
                        html`<label class="row"
                            ><input type="checkbox" checked=${Boolean(how.withDependents)} onChange=${change("withDependents")} />Also retry the jobs
                            that were cancelled because of them</label
                        >`
                    }
                </div>`
            }
            <${Reason} />
            ${
                danger &&
                html`<${Field}
                    label=${`Type ${result.changed} to delete`}
                    inputmode="numeric"
                    autofocus
                    value=${typed}
                    onInput=${(event) => setTyped(event.target.value)}
                />`
            }
            ${notes.length > 0 && html`<p class="small muted">${notes.join(" ")}</p>`}
            <div class="acts">
                <button class="btn" type="button" onClick=${close}>Keep as ${result.changed === 1 ? "it is" : "they are"}</button>
                <button
                    autofocus=${!danger}
                    ref=${danger ? null : takeFocus}
                    class=${danger ? "btn danger main-act" : "btn main-act"}
                    disabled=${count.isOld || (danger && typed.replaceAll(",", "").trim() !== String(result.changed))}
                >
                    ${count.isOld ? "Counting the jobs" : `${verb} ${most}${jobs}`}
                </button>
            </div>
        </form>
    <//>`;
}

/** Jobs that have changed since the list has shown them. */
function Moved({ jobs }) {
    return (
        jobs.length > 0 &&
        html`<p>
                ${counted(jobs.length, "selected job")} changed meanwhile and ${jobs.length === 1 ? "is" : "are"} left out. Ask again to change
                ${jobs.length === 1 ? "it as it is" : "them as they are"} now.
            </p>
            <${Refused} jobs=${jobs} />`
    );
}

/** Jobs that were not changed, with the reason of each. Without a verb it is their state now. */
function Refused({ jobs, past }) {
    return html`<ul class="stack tight">
        ${jobs.slice(0, MOST_SHOWN).map(
            (job) =>
                html`<li key=${job.id}>
                    <p class="small wrap">
                        <a href=${to(["jobs", job.id])} target="_blank" rel="opener">Job ${job.id}</a
                        >${past ? ` was not ${past}: ${whyNot(job)}` : ` is ${job.state.toLowerCase()} now.`}
                    </p>
                </li>`,
        )}
        ${jobs.length > MOST_SHOWN && html`<li class="small muted">and ${number(jobs.length - MOST_SHOWN)} others</li>`}
    </ul>`;
}

const STAYING = {
    retry: "another job holds their dedupe key",
    delete: "another job needs them, or their chain does not match as a whole",
};

function Staying({ action, skipped }) {
    return skipped > 0 && `${counted(skipped, "other job")} ${skipped === 1 ? "stays" : "stay"}: ${STAYING[action] ?? "other jobs do not allow it"}.`;
}

function pausedQueue(target, data) {
    const paused = data?.queues.filter((queue) => queue.paused).map(({ queue }) => queue) ?? [];
    if (target.jobs) {
        const held = target.jobs.filter(({ queue }) => paused.includes(queue));
        return (
            held.length > 0 &&
            html`${number(held.length)} ${held.length === 1 ? "is" : "are"} in a paused queue, <bdi>${held[0].queue}</bdi>: they wait until it is
                resumed`
        );
    }
    return (
        paused.includes(target.filter.queue) &&
        html`all are in queue <bdi>${target.filter.queue}</bdi>, which is paused: they wait until it is resumed`
    );
}

const DOING = { retry: "Retrying", trigger: "Triggering", cancel: "Cancelling", delete: "Deleting" };

function Run({ action, noun, total, atLeast, phase, progress, stop, goOn, close }) {
    const { done, refused, skipped, problem, finished } = progress;
    const all = Math.max(total, done);
    const running = phase === "run";
    const sum = `${number(done)} of ${atLeast && !finished ? "at least " : ""}${number(all)} done.`;
    return html`<${Dialog}
        title=${running ? `${DOING[action]} ${counted(total, noun + "job")}` : `${number(done)} of ${counted(all, "job")} ${ACTIONS[action].past}`}
        close=${close}
    >
        <${Bar} percent=${all ? (done / all) * 100 : 0} css="completed" label=${sum} />
        <p role="status" class="muted">
            ${sum} ${refused.length > 0 && counted(refused.length, "job was refused.", "jobs were refused.")}${" "}
            <${Staying} action=${action} skipped=${skipped} />
        </p>
        ${refused.length > 0 && html`<${Refused} jobs=${refused} past=${ACTIONS[action].past} />`}
        ${problem && html`<${Failed} problem=${problem} />`}
        <div class="acts">
            ${running ? html`<button class="btn" type="button" ref=${takeFocus} onClick=${stop}>Stop after this part</button>` : html`<button class="btn" type="button" autofocus ref=${takeFocus} onClick=${close}>Close</button>`}
            ${!running && !finished && html`<button class="btn main-act" type="button" onClick=${goOn}>Continue</button>`}
        </div>
    <//>`;
}

/** The reason of one refusal. Without a problem the job has changed meanwhile. */
function whyNot({ problem, state }) {
    return !problem
        ? `it changed meanwhile. It is ${state.toLowerCase()} now.`
        : problem.status === 404
          ? "it does not exist any more."
          : problem.message;
}
