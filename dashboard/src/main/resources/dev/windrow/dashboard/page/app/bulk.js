/**
 * A change of many jobs: a question with their number, then parts of at most 1000, with progress. The jobs are named, or match a filter with an end
 * time that is fixed before the question. So jobs that end or are enqueued meanwhile are not changed, and a retried job that fails again is not retried
 * a second time.
 */
import { address, change, get, persist, serverNow } from "./api.js";
import { Dialog, toast } from "./dialogs.js";
import { count as counted, duration, number } from "./format.js";
import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { Failed, Skeleton, Time, takeFocus } from "./parts.js";
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
const OF_ONE_JOB = [404, 409, 412];

/**
 * Asks for a change and makes it.
 *
 * @param action retry, trigger, cancel or delete
 * @param jobs the jobs as a list has shown them; null: those that match the filter
 * @param filter the filter in the form of POST /jobs/change
 * @param words the filter as a person reads it
 * @param options the options of a retry at first
 * @param data the overview, for the pauses of queues
 * @param done called when the dialog closes after a change, with true if all of the jobs were changed
 */
export default function BulkDialog({ action, jobs, filter, words, options = {}, about, data, close, done }) {
    const { states, end } = ACTIONS[action];
    const [phase, setPhase] = useState("ask");
    const [how, setHow] = useState(options);
    const [progress, setProgress] = useState({ done: 0, refused: [], skipped: 0, problem: null, finished: false });
    const stopped = useRef(false);
    const reason = useRef(undefined);
    const target = useMemo(() => {
        const able = jobs?.filter(({ state }) => states.includes(state));
        return jobs
            ? { jobs: able, left: [...able], others: jobs.length - able.length }
            : { filter: fixed(filter, end, new Date(serverNow()).toISOString()), left: [], next: null, others: 0 };
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
            await (target.jobs
                ? changeNamed(target.left, body, stopped, report, target.jobs.length === 1 ? total : 1)
                : changeMatching(target, body, stopped, report));
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
            done(isDone);
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
        (target.jobs ? countNamed(target.jobs, body) : change("POST", address("jobs/change"), { ...body, filter: target.filter })).then(
            (result) => show({ result }),
            (problem) => show({ problem }),
        );
        return () => {
            current = false;
        };
    }, [how, round]);
    return { ...shown, isOld: shown.how !== how, again: () => setRound((n) => n + 1) };
}

/** Counts named jobs, with the others that the options add. */
async function countNamed(jobs, body) {
    const ids = jobs.map(({ id }) => id);
    const sum = { changed: 0, skipped: 0, atLeast: false, ids };
    for (let i = 0; i < ids.length; i += PART) {
        const part = ids.slice(i, i + PART);
        try {
            const result = await change("POST", address("jobs/change"), { ...body, ids: part });
            sum.changed += result.changed;
            sum.skipped += result.skipped;
        } catch (problem) {
            if (!OF_ONE_JOB.includes(problem.status)) {
                throw problem;
            }
            // The change finds out which job has changed since. Without it, the others are not counted.
            sum.changed += part.length;
            sum.atLeast ||= Boolean(body.withDependents);
        }
    }
    return sum;
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
    await changeNamed(target.left, body, stopped, (changes) => report((last) => ({ done: changes(last).done ?? last.done })));
    return target.left.length > 0 || target.next !== null;
}

/**
 * Changes named jobs: a part together, or one by one if one of them cannot be changed. A single job is changed only if it has not changed since. Takes
 * each job out of the list when it is done or refused.
 *
 * @param each the number of jobs that the change of a single one counts as: itself, and the dependents that are retried with it
 */
async function changeNamed(left, body, stopped, report, each = 1) {
    while (left.length > 0 && !stopped.current) {
        const part = left.slice(0, PART);
        if (part.length === 1) {
            await oneByOne(left, 1, body, stopped, report, each);
            continue;
        }
        try {
            const result = await change("POST", address("jobs/change"), { ...body, ids: part.map(({ id }) => id) });
            left.splice(0, part.length);
            report(({ done }) => ({ done: done + result.changed }));
        } catch (problem) {
            if (!OF_ONE_JOB.includes(problem.status)) {
                throw problem;
            }
            await oneByOne(left, part.length, body, stopped, report);
        }
    }
    report(() => ({ finished: left.length === 0 }));
}

async function oneByOne(left, count, { action, reason, ...how }, stopped, report, each = 1) {
    for (let i = 0; i < count && !stopped.current; i++) {
        const job = left[0];
        const { id } = job;
        const version = { current: job.version };
        const send = () =>
            action === "delete"
                ? change("DELETE", address(["jobs", id], { reason }), undefined, version.current)
                : change("POST", address(["jobs", id, action]), { ...how, reason }, version.current);
        try {
            await (action === "cancel" ? persist(send, job, version) : send());
            report(({ done }) => ({ done: done + each }));
        } catch (problem) {
            if (!OF_ONE_JOB.includes(problem.status)) {
                throw problem;
            }
            report(({ refused }) => ({ refused: [...refused, { id, problem }] }));
        }
        left.shift();
    }
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
                No job that matches can be changed: it must be ${namesOf(states)}.
                <${Staying} action=${action} skipped=${result.skipped} />
            </p>
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
            <label class="field"
                ><span>Reason</span><input class="input" name="reason" maxlength="500" placeholder="Shown in the audit" autocomplete="off"
            /></label>
            ${
                danger &&
                html`<label class="field"
                    ><span>Type ${result.changed} to delete</span
                    ><input
                        class="input"
                        inputmode="numeric"
                        autocomplete="off"
                        autofocus
                        ref=${takeFocus}
                        value=${typed}
                        onInput=${(event) => setTyped(event.target.value)}
                /></label>`
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
        title=${running ? `${DOING[action]} ${number(total)} ${noun}jobs` : `${number(done)} of ${number(all)} jobs ${ACTIONS[action].past}`}
        close=${close}
    >
        <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label=${sum}>
            <rect class="f-completed" width=${all ? (done / all) * 100 : 0} height="8" />
        </svg>
        <p role="status" class="muted">
            ${sum} ${refused.length > 0 && counted(refused.length, "job was refused.", "jobs were refused.")}
            <${Staying} action=${action} skipped=${skipped} />
        </p>
        ${
            refused.length > 0 &&
            html`<ul class="stack tight">
                ${refused
                    .slice(0, MOST_SHOWN)
                    .map(
                        ({ id, problem: why }) =>
                            html`<li class="small wrap">
                                <a href=${to(["jobs", id])} target="_blank" rel="opener">Job ${id}</a> was not ${ACTIONS[action].past}: ${whyNot(why)}
                            </li>`,
                    )}
                ${refused.length > MOST_SHOWN && html`<li class="small muted">and ${number(refused.length - MOST_SHOWN)} others</li>`}
            </ul>`
        }
        ${problem && html`<${Failed} problem=${problem} />`}
        <div class="acts">
            ${running ? html`<button class="btn" type="button" ref=${takeFocus} onClick=${stop}>Stop after this part</button>` : html`<button class="btn" type="button" autofocus ref=${takeFocus} onClick=${close}>Close</button>`}
            ${!running && !finished && html`<button class="btn main-act" type="button" onClick=${goOn}>Continue</button>`}
        </div>
    <//>`;
}

/** The reason of one refusal: "it changed meanwhile. It is running now." */
function whyNot({ status, body, message }) {
    const state = body.state ? ` It is ${body.state.toLowerCase()} now.` : "";
    return status === 412 ? "it changed meanwhile." + state : status === 404 ? "it does not exist any more." : message;
}
