/** Polling: one request at a time, the next one after the answer; none while the tab is hidden; slower while the server does not answer. */
import { get } from "./api.js";
import { useEffect, useRef, useState } from "./html.js";
import { useSettings } from "./settings.js";

const LONGEST_PAUSE = 60_000;
const listeners = new Set();
let state = { at: null, failures: 0, since: null, next: null, problem: null };

function report(changes) {
    state = { ...state, ...changes };
    listeners.forEach((listener) => listener(state));
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
        let failures = 0;

        async function read() {
            clearTimeout(timer);
            if (reading || abort.signal.aborted) {
                return;
            }
            reading = true;
            let pause = Math.max(refresh, seconds) * 1000;
            try {
                const data = await get(url, abort.signal);
                failures = 0;
                show((last) => (last.url === url && last.data === data && !last.problem ? last : { url, data, problem: null }));
                report({ at: Date.now(), failures: 0, since: null, next: null, problem: null });
            } catch (problem) {
                if (abort.signal.aborted) {
                    return;
                }
                failures++;
                pause = Math.min(LONGEST_PAUSE, Math.max(pause, 1000) * 2 ** failures);
                show((last) => ({ url, data: last.url === url ? last.data : null, problem }));
                report({ failures, since: state.since ?? Date.now(), next: Date.now() + pause, problem });
            } finally {
                reading = false;
            }
            if (!abort.signal.aborted && !document.hidden && !(once && failures === 0) && (refresh > 0 || failures > 0)) {
                timer = setTimeout(read, pause);
            }
        }

        function visible() {
            if (document.hidden) {
                clearTimeout(timer);
            } else {
                read();
            }
        }

        again.current = read;
        read();
        document.addEventListener("visibilitychange", visible);
        window.addEventListener("online", read);
        return () => {
            abort.abort();
            clearTimeout(timer);
            document.removeEventListener("visibilitychange", visible);
            window.removeEventListener("online", read);
        };
    }, [url, refresh, once, seconds]);
    const current = shown.url === url;
    return { data: current ? shown.data : null, problem: current ? shown.problem : null, reload: () => again.current() };
}
