/** Keeps the last answer while the first one of another address is on its way, so that nothing jumps. */
import { useRef } from "../../app/html.js";

export function useKept(live) {
    const last = useRef(null);
    last.current = live.data ?? last.current;
    return { ...live, data: last.current };
}
