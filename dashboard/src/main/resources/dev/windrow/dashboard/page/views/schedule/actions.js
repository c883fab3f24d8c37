/** The changes of one schedule. Each asks for a reason, which the audit keeps. */
import { address, change } from "../../app/api.js";
import { Question, toast } from "../../app/dialogs.js";
import { html, useState } from "../../app/html.js";
import { go, to } from "../../app/route.js";

const ACTIONS = {
    run: {
        verb: "Run",
        title: (name) => `Run ${name} now?`,
        follows: "One job is enqueued now. The due times stay as they are.",
        keep: "Wait for the next run",
    },
    pause: {
        verb: "Pause",
        title: (name) => `Pause ${name}?`,
        follows: "It enqueues no jobs until it is resumed. Its unfinished jobs continue.",
        keep: "Keep it running",
    },
    resume: {
        verb: "Resume",
        title: (name) => `Resume ${name}?`,
        follows: "It continues with its first run after now. Runs of the pause count as missed.",
        keep: "Keep it paused",
    },
    remove: {
        verb: "Remove",
        title: (name) => `Remove ${name}?`,
        follows: "The schedule and its outcomes are deleted. This cannot be undone. Its jobs stay.",
        keep: "Keep the schedule",
        danger: true,
    },
};

export function Actions({ about, schedule, reload }) {
    const [open, setOpen] = useState(null);
    const { name, paused } = schedule;
    if (!about.permissions.includes("control")) {
        return html`<p class="muted">View only. Changes of schedules need the permission control.</p>`;
    }
    const button = (action, style = "btn slim") =>
        html`<button class=${style} type="button" onClick=${() => setOpen(action)}>${ACTIONS[action].verb}</button>`;
    // The payload is written back with each edit, so the whole of it must be visible.
    const mayEdit = about.permissions.includes("reveal");
    return html`<div class="row">
            ${button("run")} ${button(paused ? "resume" : "pause")}
            ${mayEdit && html`<a class="btn slim" href=${to(["schedules", name], { edit: "true" })}>Edit</a>`} ${button("remove", "btn slim danger")}
        </div>
        ${!mayEdit && html`<p class="muted small">An edit stores the payload again, so it needs the permission reveal.</p>`}
        ${open && html`<${Ask} key=${open} action=${open} name=${name} reload=${reload} close=${() => setOpen(null)} />`}`;
}

function Ask({ action, name, reload, close }) {
    const { verb, title, follows, keep, danger } = ACTIONS[action];
    const run = async (form) => {
        const reason = form.get("reason") || undefined;
        if (action === "remove") {
            await change("DELETE", address(["schedules", name], { reason }));
            toast(`Schedule ${name} was removed.`);
            go(to("schedules"));
        } else {
            const answer = await change("POST", address(["schedules", name, action]), { reason });
            toast(
                {
                    run: `Schedule ${name} was run: job ${answer.id}.`,
                    pause: `Schedule ${name} was paused.`,
                    resume: `Schedule ${name} was resumed.`,
                }[action],
                action === "run" ? { link: { href: to(["jobs", answer.id]), text: "Job" } } : {},
            );
        }
        reload();
    };
    return html`<${Question} title=${title(name)} action=${verb} run=${run} keep=${keep} danger=${danger} close=${close}><p>${follows}</p><//>`;
}
