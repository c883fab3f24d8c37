/** Polling: one request at a time, the next one after the answer; none while the tab is hidden; slower while the server does not answer. */
import { get, serverNow } from "./api.js";
import { useEffect, useRef, useState } from "./html.js";
import { useSettings } from "./settings.js";

const LONGEST_PAUSE = 60_000;
const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
const listeners = new Set();
/** The pollers that the server does not answer, with their failures in a row. */
const failing = new Map();
let state = { at: null, failures: 0, since: null, next: null, problem: null };

function report(at = state.at) {
    const [first] = failing.values();
    const failures = Math.max(0, ...[...failing.values()].map((each) => each.failures));
    const next = Math.min(...[...failing.values()].map((each) => each.next));
    state = { at, failures, since: first?.since ?? null, next: first ? next : null, problem: first?.problem ?? null };
    listeners.forEach((listener) => listener(state));
}

/** A refusal, such as that of a job that does not exist, is an answer too. */
function isAnswer({ status }) {
    return status !== 0 && status !== UNAUTHORIZED && status !== TOO_MANY_REQUESTS && !(status >= 500);
}

function forget(poller) {
    if (failing.delete(poller)) {
        report();
    }
}

/** Returns how fresh the page is: the time of the last answer, or since when none came and when the next request is sent. */
export function useFreshness() {
    const [shown, show] = useState(state);
    useEffect(() => {
        listeners.add(show);
        return () => listeners.delete(show);
    }, []);
    return shown;
}

/** Keeps the last answer while the first one of another address is on its way, so that nothing jumps. */
export function useKept(live) {
    const last = useRef(null);
    last.current = live.data ?? last.current;
    return { ...live, data: last.current };
}

/**
 * Reads an address again and again, as often as the settings say. The last answer stays while requests fail. An address of null reads nothing.
 * With "once" a single answer is enough; with "seconds" the next request is sent so much later at the earliest.
 * Returns the answer, the problem of the last request, and a function that reads at once.
 */
export function useLive(url, { once = false, seconds = 0 } = {}) {
    const { refresh } = useSettings();
    const [shown, show] = useState({ url: null, data: null, problem: null });
    const again = useRef(() => {});
    useEffect(() => {
        if (url === null) {
            return undefined;
        }
        const abort = new AbortController();
        let timer = 0;
        let reading = false;
        let wanted = false;
        let answered = false;
        let failures = 0;

        async function read() {
            clearTimeout(timer);
            if (reading || abort.signal.aborted) {
                wanted = true; // the answer under way may be older than the change after which this was called
                return;
            }
            reading = true;
            wanted = false;
            let pause = Math.max(refresh, seconds) * 1000;
            try {
                const data = await get(url, abort.signal);
                answered = true;
                failures = 0;
                show((last) => (last.url === url && last.data === data && !last.problem ? last : { url, data, problem: null }));
                failing.delete(read);
                report(serverNow());
            } catch (problem) {
                if (abort.signal.aborted) {
                    return;
                }
                failures++;
                pause = Math.min(LONGEST_PAUSE, Math.max(pause, 1000) * 2 ** failures);
                show((last) => ({ url, data: last.url === url ? last.data : null, problem }));
                if (isAnswer(problem)) {
                    forget(read);
                } else {
                    failing.set(read, { failures, since: failing.get(read)?.since ?? serverNow(), next: serverNow() + pause, problem });
                    report();
                }
            } finally {
                reading = false;
            }
            if (wanted) {
                read();
            } else if (!abort.signal.aborted && !document.hidden && goesOn()) {
                timer = setTimeout(read, pause);
            }
        }

        function goesOn() {
            return !answered || failures > 0 || (refresh > 0 && !once);
        }

        function resume() {
            if (document.hidden) {
                clearTimeout(timer);
            } else if (goesOn()) {
                read();
            }
        }

        again.current = read;
        read();
        document.addEventListener("visibilitychange", resume);
        window.addEventListener("online", resume);
        return () => {
            abort.abort();
            clearTimeout(timer);
            forget(read);
            document.removeEventListener("visibilitychange", resume);
            window.removeEventListener("online", resume);
        };
    }, [url, refresh, once, seconds]);
    const current = shown.url === url;
    return { data: current ? shown.data : null, problem: current ? shown.problem : null, reload: () => again.current() };
}
