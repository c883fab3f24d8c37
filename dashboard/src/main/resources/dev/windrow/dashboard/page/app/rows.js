/** The current row of a list: j and k move it, Enter opens it. */
import { useEffect, useState } from "./html.js";
import { useKeys } from "./keys.js";

/** Returns the index of the current row, or -1. Enter opens it, unless the focus is on a link or a button. */
export function useRows(length, open) {
    const [at, setAt] = useState(-1);
    const current = Math.min(at, length - 1);
    const move = (step) => () => {
        if (length > 0) {
            setAt((last) => Math.min(length - 1, Math.max(0, Math.min(last, length) + step)));
        }
    };
    useKeys({
        j: move(1),
        k: move(-1),
        Enter: (event) => (current < 0 || event.target.closest("a, button, input, summary") ? false : open(current)),
    });
    useEffect(() => {
        if (current >= 0) {
            document.querySelector("tbody tr.at, .card.at")?.scrollIntoView({ block: "nearest" });
        }
    }, [current]);
    return current;
}
