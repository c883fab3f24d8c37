/** The attempts of a job, the newest first, with their errors. */
import { count, duration, number, time } from "../../app/format.js";
import { html, useState } from "../../app/html.js";
import { Card, Empty, State, useNow } from "../../app/parts.js";
import { useSettings } from "../../app/settings.js";
import { Stack } from "../../app/stack.js";
import { TraceLink } from "./details.js";

const SHOWN = 20;

/** The state that stands for an outcome, and its word. */
const OUTCOMES = {
    SUCCEEDED: ["COMPLETED", "succeeded"],
    FAILED: ["FAILED", "failed"],
    TIMEOUT: ["FAILED", "timed out"],
    CANCELLED: ["CANCELLED", "cancelled"],
    RELEASED: ["PENDING", "handed back, does not count"],
    SNOOZED: ["SCHEDULED", "snoozed, does not count"],
    PARKED: ["BLOCKED", "waits for an event, does not count"],
    RECOVERED: ["FAILED", "its worker died"],
    LOST: ["CANCELLED", "its worker died before the start, does not count"],
    SUPERSEDED: ["CANCELLED", "ended from outside, does not count"],
};

export function Attempts({ job, about }) {
    const [all, setAll] = useState(false);
    const attempts = [...job.attempts].reverse();
    const shown = all ? attempts : attempts.slice(0, SHOWN);
    const aside = html`<small class="muted"
        >${number(job.attempt)} of ${number(job.maxAttempts)}${job.run > 1 ? ", run " + number(job.run) : ""}</small
    >`;
    return html`<${Card} title="Attempts" aside=${aside}>
        ${
            attempts.length === 0
                ? html`<${Empty} title="Not started yet">The first attempt appears here when a worker claims the job.<//>`
                : html`<div class="acc">
                      ${shown.map(
                          (attempt, i) =>
                              html`<${Attempt}
                                  key=${attempts.length - i}
                                  attempt=${attempt}
                                  newest=${i === 0}
                                  others=${attempts.slice(0, i)}
                                  job=${job}
                                  about=${about}
                              />`,
                      )}
                  </div>`
        }
        ${
            (shown.length < attempts.length || job.attemptsLeftOut > 0) &&
            html`<div class="foot small">
                ${job.attemptsLeftOut > 0 && html`<span class="grow">${count(job.attemptsLeftOut, "attempt")} between the first and the last ones are not kept.</span>`}
                ${
                    shown.length < attempts.length &&
                    html`<button class="btn slim" type="button" onClick=${() => setAll(true)}>Show all ${number(attempts.length)}</button>`
                }
            </div>`
        }
    <//>`;
}

function Attempt({ attempt, newest, others, job, about }) {
    const { zone } = useSettings();
    const [open, setOpen] = useState(newest && Boolean(attempt.errorDetail || attempt.stackTrace || attempt.output));
    const now = useNow(!attempt.finishedAt);
    const [state, word] = attempt.outcome ? OUTCOMES[attempt.outcome] : ["RUNNING", "runs"];
    const end = attempt.finishedAt ? Date.parse(attempt.finishedAt) : now;
    const ran = attempt.startedAt ? duration(Math.max(0, end - Date.parse(attempt.startedAt))) : null;
    const facts = [
        attempt.startedAt ? time(attempt.startedAt, zone, now) : "not started",
        ran && (attempt.finishedAt ? "ran " : "runs for ") + ran,
        attempt.worker && html`<bdi>${attempt.worker}</bdi>`,
        attempt.errorCode || word === "runs" ? null : word,
    ];
    const same = attempt.stackTrace && others.find((other) => other.stackTrace === attempt.stackTrace);
    const name = (job.run > 1 ? `Run ${attempt.run}, attempt ` : "Attempt ") + attempt.attempt;
    return html`<details open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
        <summary>
            <${State} state=${state}><b>${name}</b><//>
            ${attempt.errorCode && html`<span class="mono bad wrap">${attempt.errorCode}</span>`}
            <small class="muted facts-line wrap">${facts.filter(Boolean).map((fact, i) => html`${i > 0 && ", "}${fact}`)}</small>
        </summary>
        ${
            open &&
            html`<div class="stack wrap">
                ${attempt.errorDetail && html`<p><bdi>${attempt.errorDetail}</bdi></p>`}
                ${
                    same
                        ? html`<p class="muted">
                              The same stack trace as attempt ${same.attempt}${same.run !== attempt.run ? " of run " + same.run : ""}.
                          </p>`
                        : attempt.stackTrace &&
                          html`<${Stack} stack=${attempt.stackTrace} label=${"Stack trace of attempt " + attempt.attempt}
                              ><${TraceLink} job=${job} about=${about}
                          /><//>`
                }
                ${
                    attempt.output &&
                    html`<div class="stack tight">
                        <h3>Output</h3>
                        <pre class="code" tabindex="0" role="region" aria-label=${"Output of attempt " + attempt.attempt}>${attempt.output}</pre>
                    </div>`
                }
                ${!attempt.errorDetail && !attempt.stackTrace && !attempt.output && html`<p class="muted">${sentence(word)} Neither an error nor an output is stored.</p>`}
            </div>`
        }
    </details>`;
}

function sentence(word) {
    return word.charAt(0).toUpperCase() + word.slice(1) + ".";
}
