/** The background tasks of the process that serves this page, and what the workers do in the background. */
import { duration, number } from "../../app/format.js";
import { html } from "../../app/html.js";
import { Card, ENDED, Icon, Time } from "../../app/parts.js";
import { to } from "../../app/route.js";

export function Health({ data }) {
    const failing = data.problems.filter(({ problem }) => problem === "background-task");
    const { schedules, retention } = data;
    return html`<${Card} title="Background tasks">
        <ul class="rows">
            ${
                failing.length === 0 &&
                html`<li>
                    <span class="s-completed"><${Icon} name="completed" /></span>
                    <p class="grow">All background tasks of this server make progress</p>
                </li>`
            }
            ${failing.map(
                ({ subject, detail }) =>
                    html`<li key=${subject}>
                        <span class="s-failed"><${Icon} name="failed" /></span>
                        <div class="grow wrap">
                            <b><bdi>${subject}</bdi> makes no progress</b>
                            <p class="muted">${detail}</p>
                        </div>
                    </li>`,
            )}
            <li>
                <dl class="facts grow">
                    ${
                        schedules &&
                        html`<dt>Schedules</dt>
                            <dd>
                                <a href=${to("schedules")}>${number(schedules.count)}</a
                                >${schedules.paused > 0 && `, ${number(schedules.paused)} paused`}${schedules.overdueMillis > 60_000 ? html`, <span class="warn">one is ${duration(schedules.overdueMillis)} late</span>` : ", none late"}
                            </dd>`
                    }
                    <dt>Retention</dt>
                    <dd>
                        ${
                            retention?.lastAt
                                ? html`last pass <${Time} at=${retention.lastAt} relative />, ${number(deleted(retention.last))} jobs deleted`
                                : "no pass yet: workers make one in the background"
                        }
                    </dd>
                    <dt>Workers</dt>
                    <dd><a href=${to("workers")}>${number(data.workers.length)} alive</a></dd>
                </dl>
            </li>
        </ul>
    <//>`;
}

function deleted(last) {
    return ENDED.reduce((sum, state) => sum + (last?.[state] ?? 0), 0);
}
