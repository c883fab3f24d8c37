/** The current row of a list: j and k move it, Enter opens it. */
import { useEffect, useRef, useState } from "./html.js";
import { useKeys } from "./keys.js";

/**
 * Returns the index of the current row, or -1. Enter opens it, unless the focus is on a link or a button.
 *
 * @param place the index, and a function that changes it; default: a state of this list
 */
export function useRows(length, open, place) {
    const own = useState(-1);
    const [at, setAt] = place ?? own;
    const current = Math.min(at, length - 1);
    const moved = useRef(false);
    const last = useRef(-1);
    last.current = current;
    const move = (step) => () => {
        if (length > 0) {
            moved.current = true;
            last.current = Math.min(length - 1, Math.max(0, last.current + step));
            setAt(last.current);
        }
    };
    useKeys({
        j: move(1),
        k: move(-1),
        Enter: (event) => (current < 0 || event.target.closest("a, button, input, summary") ? false : open(current)),
    });
    useEffect(() => {
        if (moved.current) {
            document.querySelector("tbody tr.at, .card.at")?.scrollIntoView({ block: "nearest" });
        }
    }, [current]);
    return current;
}
