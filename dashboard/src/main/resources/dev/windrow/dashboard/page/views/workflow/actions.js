/** The changes of all jobs of a workflow. */
import BulkDialog from "../../app/bulk.js";
import { count } from "../../app/format.js";
import { html, useState } from "../../app/html.js";
import { Icon } from "../../app/parts.js";
import { go, to } from "../../app/route.js";

export function Actions({ about, workflow, reload }) {
    const [open, setOpen] = useState(null);
    const may = (permission) => about.permissions.includes(permission);
    const { id, states, jobs, ended } = workflow;
    const left = jobs - ended;
    const retries = open === "retry";
    return html`${
        may("operate") &&
        states.FAILED > 0 &&
        html`<button class="btn main-act" type="button" onClick=${() => setOpen("retry")}><${Icon} name="retry" />Retry failed</button>`
    }
    ${may("operate") && left > 0 && html`<button class="btn" type="button" onClick=${() => setOpen("cancel")}>Cancel</button>`}
    ${
        may("destroy") &&
        html`<button
            class="btn danger"
            type="button"
            disabled=${left > 0}
            title=${left > 0 ? `${count(left, "job")} did not end. Cancel the workflow first.` : null}
            onClick=${() => setOpen("delete")}
        >
            Delete
        </button>`
    }
    ${
        open &&
        html`<${BulkDialog}
            key=${open}
            action=${open}
            filter=${{ workflow: id, ...(retries && { state: ["FAILED"] }) }}
            words=${`workflow:${id}${retries ? " state:failed" : ""}`}
            options=${retries && about.queues === null ? { withDependents: true } : {}}
            about=${about}
            close=${() => setOpen(null)}
            done=${(isDone) => (open === "delete" && isDone ? go(to("workflows")) : reload())}
        />`
    }`;
}
