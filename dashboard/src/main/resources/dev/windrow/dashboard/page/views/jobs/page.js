/**
 * One page of the list. Its rows are fixed: polls change what the rows say, and never their place. What has come or gone meanwhile is counted, for a
 * button that reads the page anew.
 */
import { address, get } from "../../app/api.js";
import { useRef, useState } from "../../app/html.js";
import { useLive } from "../../app/live.js";
import { isSearch, isTooWide, listed } from "./filter.js";

/** The numbers of rows that a person may choose. */
export const ROWS = [25, 50, 100, 200];

/** More newer jobs than this are not counted. */
export const MOST_NEWER = 100;

/**
 * Reads a page of the jobs of this filter.
 *
 * @param place the cursor in the address, "after" or "before", the order, and the number of rows
 */
export function useJobPage(filter, { after, before, order, limit }) {
    const query = { ...listed(filter), order: order === "oldest" ? order : null, limit };
    const search = isSearch(filter);
    const wide = isTooWide(filter);
    const key = address("jobs", { ...query, after, before });
    const [, render] = useState(0);
    const [busy, setBusy] = useState(false);
    const [failure, setFailure] = useState(null);
    const fixed = useRef(null);
    let page = fixed.current?.key === key ? fixed.current : null;

    // The first page has no cursor until a newer job would move it.
    const first = !after && !before && order !== "oldest" && !search;
    const held = first && page?.held;
    const live = useLive(wide ? null : held ? address("jobs", { ...query, after: cursorAbove(page.rows[0].id) }) : key, { once: search });
    const newer = useLive(held ? address("jobs", { ...query, limit: MOST_NEWER, before: page.rows[0].id }) : null);

    if (live.data && !page) {
        page = fixed.current = firstRows(live.data, key);
    } else if (live.data && live.data !== page.answer && live.data !== page.outdated) {
        update(page, live.data, first);
    }

    const read = async (url, use) => {
        setBusy(true);
        setFailure(null);
        try {
            use(await get(url));
        } catch (problem) {
            setFailure(problem);
        }
        setBusy(false);
        render((n) => n + 1);
    };
    return {
        page: fixed.current,
        isStale: fixed.current?.key !== key,
        problem: live.problem,
        failure,
        busy,
        newer: held ? (newer.data?.jobs.length ?? page.come) : (page?.come ?? 0),
        reload: live.reload,
        readAnew: () =>
            read(key, (answer) => {
                fixed.current = { ...firstRows(answer, key), outdated: live.data };
            }),
        goOn: () => read(address("jobs", { ...query, after: page.next }), (answer) => append(page, answer)),
    };
}

/** Pages are found by the ids of jobs, which grow. So this cursor begins with the job itself. */
function cursorAbove(id) {
    return String(BigInt(id) + 1n);
}

function firstRows(answer, key) {
    return {
        key,
        answer,
        outdated: null,
        rows: answer.jobs,
        gone: new Set(),
        come: 0,
        entered: 0,
        held: false,
        continued: false,
        next: answer.next,
        previous: answer.previous,
        looked: answer.looked,
        skipped: answer.skipped,
        at: Date.now(),
    };
}

/** Shows the new state of the rows. A row that the answer no longer has stays in its place. */
function update(page, answer, first) {
    const jobs = new Map(answer.jobs.map((job) => [job.id, job]));
    const ids = new Set(page.rows.map(({ id }) => id));
    const rising = page.rows.length > 1 && BigInt(page.rows[0].id) < BigInt(page.rows.at(-1).id);
    const last = answer.next === null || answer.jobs.length === 0 ? null : BigInt(answer.jobs.at(-1).id);
    const isRead = (id) => answer.next === null || (last !== null && (rising ? BigInt(id) <= last : BigInt(id) >= last));
    page.answer = answer;
    page.gone = new Set(page.rows.filter(({ id }) => !jobs.has(id) && isRead(id)).map(({ id }) => id));
    page.rows = page.rows.map((job) => updated(job, jobs.get(job.id)));
    if (page.rows.length === 0 && !page.continued) {
        page.rows = answer.jobs; // nothing that could move
        page.next = answer.next;
        return;
    }
    if (page.rows.length === 0) {
        return;
    }
    const newest = BigInt(page.rows[0].id);
    if (first && !page.held) {
        page.come = answer.jobs.filter(({ id }) => !ids.has(id) && BigInt(id) > newest).length;
        page.held = page.come > 0;
    }
    page.entered = answer.jobs.filter(({ id }) => !ids.has(id) && BigInt(id) < newest && BigInt(id) > BigInt(page.rows.at(-1).id)).length;
}

/** Returns the job as it is now: the same object if it has not changed, so that its row is not drawn again. */
function updated(job, now) {
    return now && JSON.stringify(now) !== JSON.stringify(job) ? now : job;
}

/** Adds the rows of the next part of a list that looks at a part of the jobs at a time. */
function append(page, answer) {
    page.continued = true;
    const ids = new Set(page.rows.map(({ id }) => id));
    page.rows = [...page.rows, ...answer.jobs.filter(({ id }) => !ids.has(id))];
    page.next = answer.next;
    page.looked = page.looked === null ? null : page.looked + answer.looked;
    page.skipped = page.skipped === null ? null : page.skipped + answer.skipped;
}
