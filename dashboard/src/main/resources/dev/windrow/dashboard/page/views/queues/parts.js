/** Pauses and limits as they stand in tables and in the drawer. */
import { number } from "../../app/format.js";
import { html } from "../../app/html.js";
import { Bar, Icon, Time } from "../../app/parts.js";

/** The pause of a target: its person, time and reason. The drawer has the whole reason. */
export function Pause({ limits }) {
    return (
        limits?.paused &&
        html`<small class="warn clip"
            ><${Icon} name="pause" />Paused by <bdi>${limits.pausedBy}</bdi>, <${Time} at=${limits.pausedAt} relative />${
                limits.reason && html`: <bdi>${limits.reason}</bdi>`
            }</small
        >`
    );
}

/** The number of running jobs, and the most that may run. */
export function Meter({ running, max, full, href }) {
    if (!max) {
        return html`<a href=${href}>${number(running)}</a>`;
    }
    return html`<a href=${href}>${number(running)} of ${number(max)}</a>${full && html`<span class="muted">, full</span>`}
        <${Bar} percent=${(100 * running) / max} css=${full ? "pending" : "running"} thin />`;
}

export function RateText({ limits }) {
    return limits?.rate ? html`${limits.rate}<br /><small class="muted">burst ${number(limits.burst)}</small>` : html`<span class="muted">-</span>`;
}
