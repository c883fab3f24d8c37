/** The states of many jobs: their bar, and the one that matters most. */
import { number, word } from "../../app/format.js";
import { html } from "../../app/html.js";

/** The states by what a person should see first. */
export const BY_URGENCY = ["FAILED", "RUNNING", "SCHEDULED", "PENDING", "BLOCKED", "CANCELLED", "COMPLETED"];

/** The order within a bar: what has ended comes first. */
const IN_BAR = ["COMPLETED", "FAILED", "CANCELLED", "RUNNING", "PENDING", "SCHEDULED", "BLOCKED"];

/** Returns the state that stands for jobs of several states. */
export function worst(states) {
    return BY_URGENCY.find((state) => states[state] > 0) ?? "COMPLETED";
}

export function StateBar({ states }) {
    const present = IN_BAR.filter((state) => states[state] > 0);
    const total = present.reduce((sum, state) => sum + states[state], 0);
    let x = 0;
    return html`<svg
        class="bar"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role="img"
        aria-label=${present.map((state) => number(states[state]) + " " + word(state).toLowerCase()).join(", ")}
    >
        ${present.map((state) => {
            const from = x;
            x += (100 * states[state]) / total;
            return html`<rect class=${"f-" + state.toLowerCase()} x=${from} width=${Math.max(0.3, x - from - 0.35)} height="8" />`;
        })}
    </svg>`;
}
