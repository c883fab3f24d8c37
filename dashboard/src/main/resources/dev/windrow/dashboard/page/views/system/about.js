/** The sender with its permissions, and the versions of the server and of the workers. */
import { address, download } from "../../app/api.js";
import { toast } from "../../app/dialogs.js";
import { count } from "../../app/format.js";
import { html } from "../../app/html.js";
import { Card } from "../../app/parts.js";
import { to } from "../../app/route.js";

const PERMISSIONS = {
    view: "see jobs, queues, workers and the audit",
    reveal: "see confidential values, which the audit records",
    enqueue: "enqueue jobs",
    operate: "retry, cancel and trigger jobs",
    control: "pause, limit and schedule",
    destroy: "delete jobs, and change retention",
    diagnose: "start the doctor",
};

export function About({ about, workers }) {
    const versions = new Map();
    workers.forEach(({ version }) => versions.set(version, (versions.get(version) ?? 0) + 1));
    return html`<${Card} title="Versions and access">
        <dl class="facts pad">
            <dt>Server</dt>
            <dd>Windrow ${about.version}</dd>
            <dt>Workers</dt>
            <dd>
                ${[...versions].map(([version, n], i) => html`${i > 0 && ", "}${version} (<a href=${to("workers", { version })}>${count(n, "worker")}</a>)`)}
                ${versions.size === 0 && "none is alive"}
            </dd>
            <dt>You are</dt>
            <dd><bdi>${about.actor}</bdi></dd>
            ${
                about.queues !== null &&
                html`<dt>Queues</dt>
                    <dd>only <bdi>${about.queues.join(", ")}</bdi></dd>`
            }
            <dt>You may</dt>
            <dd>
                <ul>
                    ${about.permissions.map((permission) => html`<li key=${permission}><b>${permission}</b>: <span class="muted">${PERMISSIONS[permission]}</span></li>`)}
                </ul>
                ${about.readOnly && html`<p class="muted">The server is read-only: it makes no changes and shows no confidential values.</p>`}
            </dd>
            <dt>API</dt>
            <dd><a href=${address("openapi.json")} onClick=${save}>api/v1/openapi.json</a></dd>
        </dl>
    <//>`;
}

/** The address needs the token, which a link does not send. So the page reads the file, and the browser saves it. */
async function save(event) {
    event.preventDefault();
    try {
        await download(address("openapi.json"), "openapi.json");
    } catch (problem) {
        toast(problem.message, { error: true });
    }
}
