/** The current row of a list: j and k move it and the focus, Enter opens it. */
import { useLayoutEffect, useRef, useState } from "./html.js";
import { useKeys } from "./keys.js";

function currentRow() {
    return document.querySelector("tbody tr.at, .card.at");
}

function linkOf(row) {
    return row?.querySelector("th a, h2 a");
}

/** Moves the focus to the link of the current row, so that Enter opens it wherever the focus was before. */
function focusRow() {
    const row = currentRow();
    row?.scrollIntoView({ block: "nearest" });
    linkOf(row)?.focus({ preventScroll: true });
}

/** Returns true if Enter belongs to what has the focus: a button, or another link than that of the current row. */
function hasOwnEnter(element) {
    const one = element.closest("a, button, input, summary");
    return one !== null && one !== linkOf(currentRow());
}

/**
 * Returns the index of the current row, or -1. Enter opens it, unless the focus has gone to another link or button.
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
            last.current = Math.min(length - 1, Math.max(0, last.current + step));
            moved.current = last.current !== current;
            setAt(last.current);
            if (!moved.current) {
                focusRow();
            }
        }
    };
    useKeys({
        j: move(1),
        k: move(-1),
        Enter: (event) => (current < 0 || hasOwnEnter(event.target) ? false : open(current)),
    });
    // Before the next key.
    useLayoutEffect(() => {
        if (moved.current) {
            moved.current = false;
            focusRow();
        }
    }, [current]);
    return current;
}
