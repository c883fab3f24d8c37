/** Keys of the whole page. Views add their own with useKeys. Single keys can be switched off, and do nothing while something is typed. */
import { useLayoutEffect, useRef } from "./html.js";
import { settings } from "./settings.js";

/** The views by the key that follows g. */
export const VIEW_KEYS = {
    o: "overview",
    j: "jobs",
    f: "failures",
    w: "workflows",
    s: "schedules",
    q: "queues",
    k: "workers",
    a: "audit",
    y: "system",
};

function types(element) {
    const takesText = element.isContentEditable || (/^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) && element.type !== "checkbox");
    return takesText && element.checkVisibility(); // a field of a dialog that was just closed may still have the focus
}

/** Calls the action of a key, by its name: "j", "Enter", "ctrl+k", "g j" (one after the other). */
export function useKeys(actions) {
    const current = useRef(actions);
    current.current = actions;
    // What is seen takes keys.
    useLayoutEffect(() => {
        let first = null;
        const pressed = (event) => {
            const control = event.ctrlKey || event.metaKey;
            if (
                event.altKey ||
                event.isComposing ||
                (!control && (types(event.target) || !settings().keys || document.querySelector("dialog[open]")))
            ) {
                return;
            }
            const key = control ? "ctrl+" + event.key.toLowerCase() : event.key;
            const action = (first && current.current[first + " " + key]) ?? current.current[key];
            first = key === "g" ? "g" : null;
            if (action && action(event) !== false) {
                event.preventDefault();
            }
        };
        document.addEventListener("keydown", pressed);
        return () => document.removeEventListener("keydown", pressed);
    }, []);
}
