/** The system: background tasks, the doctor, retention, cleanup, versions, and what the sender may do. */
import { html } from "../app/html.js";
import { Head, Loaded } from "../app/parts.js";
import { About } from "./system/about.js";
import { Cleanup } from "./system/cleanup.js";
import { Doctor } from "./system/doctor.js";
import { Health } from "./system/health.js";
import { Retention } from "./system/retention.js";

export default function System({ about, query, overview }) {
    const wholeStore = about.queues === null;
    return html`<${Head} title="System" facts=${about.label && html`Environment: <bdi>${about.label}</bdi>`} />
        <div class="two fill">
            ${wholeStore && html`<${Loaded} live=${overview}>${(data) => html`<${Health} data=${data} />`}<//>`}
            <${About} about=${about} workers=${overview.data?.workers ?? []} />
        </div>
        ${wholeStore && html`<${Doctor} about=${about} query=${query} />`}
        ${
            wholeStore &&
            html`<div class="two fill">
                <${Retention} about=${about} last=${overview.data?.retention} />
                <${Cleanup} about=${about} />
            </div>`
        }
        ${!wholeStore && html`<p class="muted">The doctor, retention and cleanup concern all queues. You see some queues only.</p>`}`;
}
