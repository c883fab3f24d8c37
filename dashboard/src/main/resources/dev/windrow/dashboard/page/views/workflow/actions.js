/** The changes of all jobs of a workflow. A change of many jobs is made in parts of 1000. */
import { address, change } from "../../app/api.js";
import { Question, toast } from "../../app/dialogs.js";
import { count, number } from "../../app/format.js";
import { html, useEffect, useState } from "../../app/html.js";
import { Icon } from "../../app/parts.js";
import { go, to } from "../../app/route.js";

const CHANGE = address("jobs/change");
const UNFINISHED = ["BLOCKED", "SCHEDULED", "PENDING", "RUNNING"];

/** Each action: its jobs, its words, and what else it does. */
const ACTIONS = {
    retry: {
        states: ["FAILED"],
        button: "Retry failed",
        verb: "Retry",
        done: "retried",
        job: "failed job",
        keep: "Keep as they are",
        follows: ({ dependents }) =>
            dependents
                ? "Jobs that were cancelled because of them are retried too."
                : "Jobs that depend on them are not retried: you see some queues only.",
    },
    cancel: {
        states: UNFINISHED,
        button: "Cancel",
        verb: "Cancel",
        done: "cancelled",
        job: "unfinished job",
        keep: "Let them run",
        follows: () => "A running job stops as soon as its handler allows it. Ended jobs stay as they are.",
    },
    delete: {
        states: null,
        button: "Delete",
        verb: "Delete",
        done: "deleted",
        job: "job",
        keep: "Keep the workflow",
        danger: true,
        follows: () => "They are deleted with their history. This cannot be undone. One line of the audit stays.",
    },
};

export function Actions({ about, workflow, name, reload }) {
    const [open, setOpen] = useState(null);
    const may = (permission) => about.permissions.includes(permission);
    const { states, jobs, ended } = workflow;
    const left = jobs - ended;
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
    ${open && html`<${Ask} key=${open} action=${open} about=${about} workflow=${workflow} name=${name} reload=${reload} close=${() => setOpen(null)} />`}`;
}

function Ask({ action, about, workflow, name, reload, close }) {
    const { states, verb, done, job, keep, danger, follows } = ACTIONS[action];
    const dependents = action === "retry" && about.queues === null;
    const body = {
        action,
        filter: { workflow: workflow.id, ...(states && { state: states }) },
        ...(action === "retry" && { withDependents: dependents }),
    };
    const jobs = (states ?? Object.keys(workflow.states)).reduce((sum, state) => sum + workflow.states[state], 0);
    const [progress, setProgress] = useState(0);
    const run = async (form) => {
        const reason = form.get("reason") || undefined;
        let changed = 0;
        let part;
        do {
            part = await change("POST", CHANGE, { ...body, max: 1000, reason });
            changed += part.changed;
            setProgress(changed);
        } while (part.changed > 0 && part.changed + (part.skipped ?? 0) >= 1000);
        const refused = part.skipped > 0 ? ` ${count(part.skipped, "job")} did not fit any more.` : "";
        toast(`${count(changed, "job")} of workflow ${workflow.id} ${changed === 1 ? "was" : "were"} ${done}.${refused}`, {
            link: { href: to("audit"), text: "Audit" },
        });
        if (action === "delete") {
            go(to("workflows"));
        } else {
            reload();
        }
    };
    const title = `${verb} ${count(jobs, job)} of workflow ${workflow.id}?`;
    return html`<${Question}
        title=${title}
        action=${`${verb} ${count(jobs, "job")}`}
        run=${run}
        keep=${keep}
        danger=${danger}
        typed=${danger ? String(jobs) : null}
        close=${close}
    >
        <p class="wrap"><bdi>${name}</bdi></p>
        <p>${follows({ dependents })}</p>
        ${progress > 0 && html`<p role="status">${number(progress)} of ${number(jobs)} done.</p>`}
    <//>`;
}
