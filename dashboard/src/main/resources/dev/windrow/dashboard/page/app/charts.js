/** Charts as SVG with the classes of the style sheets, so that they follow the theme. Each has a sentence for screen readers, and a table. */
import { count, duration, minute, number, time } from "./format.js";
import { html, useState } from "./html.js";
import { useSettings } from "./settings.js";

const WIDTH = 600;
const HEIGHT = 148;
const TICKS = [1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 86_400_000, 604_800_000];

/** The next number of 1, 2, 4, 5 or 8 times a power of ten: a scale with round quarters. */
function roundUp(value) {
    const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
    return [1, 2, 4, 8, 10].map((n) => n * power).find((n) => n >= value) ?? 10 * power;
}

function Times({ points }) {
    useSettings(); // the zone
    const shown = [0, Math.floor(points.length / 3), Math.floor((2 * points.length) / 3), points.length - 1];
    return html`<div class="x">${shown.map((i) => html`<span>${minute(points[i].at)}</span>`)}</div>`;
}

function Data({ head, rows }) {
    const [open, setOpen] = useState(false);
    return html`<details class="data" onToggle=${(event) => setOpen(event.target.open)}>
        <summary>Show as table</summary>
        ${
            open &&
            html`<table>
                <thead>
                    <tr>
                        ${head.map((name, i) => html`<th scope="col" class=${i ? "num" : null}>${name}</th>`)}
                    </tr>
                </thead>
                <tbody>
                    ${rows().map(
                        (row) =>
                            html`<tr>
                                ${row.map((cell, i) => (i ? html`<td class="num">${cell}</td>` : html`<th scope="row">${cell}</th>`))}
                            </tr>`,
                    )}
                </tbody>
            </table>`
        }
    </details>`;
}

/** Attempts that ended in each minute or hour. The last bucket is still open. */
export function Bars({ points, unit }) {
    const top = roundUp(Math.max(4, ...points.map((point) => point.succeeded + point.failed)));
    const step = WIDTH / points.length;
    const height = (value) => (value / top) * HEIGHT;
    const total = (key) => points.reduce((sum, point) => sum + point[key], 0);
    return html`<figure class="pad">
            <div class="chart">
                <div class="y">${[1, 0.75, 0.5, 0.25, 0].map((part) => html`<span>${number(part * top)}</span>`)}</div>
                <svg
                    viewBox="0 0 ${WIDTH} ${HEIGHT}"
                    preserveAspectRatio="none"
                    role="img"
                    aria-label="${number(total("succeeded"))} attempts succeeded and ${number(total("failed"))} failed"
                >
                    ${[0, 0.25, 0.5, 0.75, 1].map((part) => html`<line class="gridline" x1="0" x2=${WIDTH} y1=${part * HEIGHT} y2=${part * HEIGHT} />`)}
                    ${points.map((point, i) => {
                        const good = height(point.succeeded);
                        const bad = height(point.failed);
                        const open = i === points.length - 1;
                        return html`<rect
                                class=${open ? "open" : "f-completed"}
                                x=${i * step + 1}
                                width=${step - 2}
                                y=${HEIGHT - good}
                                height=${good}
                            />
                            <rect class="f-failed" x=${i * step + 1} width=${step - 2} y=${HEIGHT - good - bad} height=${bad} />`;
                    })}
                </svg>
                <${Times} points=${points} />
                <figcaption class="x">
                    <span class="key"
                        ><svg viewBox="0 0 16 8" aria-hidden="true"><rect class="f-completed" width="16" height="8" /></svg>succeeded</span
                    >
                    <span class="key"
                        ><svg viewBox="0 0 16 8" aria-hidden="true"><rect class="f-failed" width="16" height="8" /></svg>failed</span
                    >
                    <span class="key"
                        ><svg viewBox="0 0 16 8" aria-hidden="true"><rect class="open" x="1" y="1" width="14" height="6" /></svg>${unit} still
                        open</span
                    >
                </figcaption>
            </div>
        </figure>
        <${Data}
            head=${[unit, "Succeeded", "Failed"]}
            rows=${() => points.map((point) => [minute(point.at), number(point.succeeded), number(point.failed)])}
        />`;
}

/**
 * Durations on a logarithmic axis: three percentiles of each bucket, and the lag, which is known for now only: it rises while jobs wait that have not
 * ended yet.
 */
export function Durations({ points, kind, lagMillis }) {
    const series = ["P50", "P95", "P99"].map((name) => points.map((point) => point[kind + name + "Millis"]));
    const values = [...series.flat(), lagMillis].filter((value) => value !== null && value !== undefined && value > 0);
    const low = Math.max(
        0,
        TICKS.findLastIndex((tick) => tick <= Math.min(...values, 10)),
    );
    const found = TICKS.findIndex((tick) => tick >= Math.max(...values, 1000));
    const ticks = TICKS.slice(low, (found < 0 ? TICKS.length - 1 : found) + 1);
    const [from, upTo] = [Math.log(ticks[0]), Math.log(ticks.at(-1))];
    const y = (value) => HEIGHT * (1 - (Math.min(upTo, Math.max(from, Math.log(Math.max(value, 1)))) - from) / (upTo - from));
    const x = (i) => ((i + 0.5) * WIDTH) / points.length;
    const lines = series.map((line, n) => ({ d: path(line, x, y), style: "l" + (n + 1), name: ["p50", "p95", "p99"][n] }));
    const last = series.map((line) => line.findLast((value) => value !== null));
    return html`<figure class="pad">
            <div class="chart">
                <svg class="axis" viewBox="0 0 44 ${HEIGHT}" aria-hidden="true">
                    ${ticks.map((tick) => html`<text x="44" y=${y(tick) + 3}>${duration(tick)}</text>`)}
                </svg>
                <svg
                    viewBox="0 0 ${WIDTH} ${HEIGHT}"
                    preserveAspectRatio="none"
                    role="img"
                    aria-label="Percentiles: p50 ${duration(last[0])}, p95 ${duration(last[1])}, p99 ${duration(last[2])}"
                >
                    ${ticks.map((tick) => html`<line class="gridline" x1="0" x2=${WIDTH} y1=${y(tick)} y2=${y(tick)} />`)}
                    ${lines.map(({ d, style }) => html`<path class=${"line " + style} d=${d} />`)}
                    ${lagMillis > 0 && html`<line class="line l4" x1="0" x2=${WIDTH} y1=${y(lagMillis)} y2=${y(lagMillis)} />`}
                </svg>
                <${Times} points=${points} />
                <figcaption class="x">
                    ${lines.map(({ style, name }) => html`<${Key} style=${style} name=${name} />`)}
                    ${lagMillis > 0 && html`<${Key} style="l4" name=${"lag now: " + duration(lagMillis)} />`}
                </figcaption>
            </div>
        </figure>
        <${Data}
            head=${["At", "p50", "p95", "p99"]}
            rows=${() => points.map((point, i) => [minute(point.at), ...series.map((line) => duration(line[i]))])}
        />`;
}

function Key({ style, name }) {
    return html`<span class="key"
        ><svg viewBox="0 0 16 8" aria-hidden="true"><path class=${"line " + style} d="M0 4h16" /></svg>${name}</span
    >`;
}

/** The path of a line. A bucket without a value is a gap; a value between two gaps is a dash as wide as its bucket. */
function path(values, x, y) {
    const isGap = (i) => values[i] === null || values[i] === undefined;
    return values
        .map((value, i) => {
            if (value === null) {
                return "";
            }
            if (isGap(i - 1) && isGap(i + 1)) {
                return `M${x(i - 0.5).toFixed(1)} ${y(value).toFixed(1)}H${x(i + 0.5).toFixed(1)}`;
            }
            return `${isGap(i - 1) ? "M" : "L"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
        })
        .join("");
}

const HOUR = 3_600_000;

/**
 * The failures of a code in each of the last hours, the current one last. Only failures since a time were read.
 *
 * @param trend the numbers; null for an hour of which none was read
 * @param from the beginning of the first hour
 * @param since the time since which all were read
 */
export function hoursOf(trend, from, since) {
    const start = Date.parse(from);
    const unread = Math.max(0, Math.min(trend.length, (Date.parse(since) - start) / HOUR));
    const hours = trend.map((failed, i) => ({ at: new Date(start + i * HOUR).toISOString(), failed }));
    return { hours, unread, since };
}

/** What the hours show, in a sentence. */
function told({ hours, unread, since }) {
    const total = hours.reduce((sum, hour) => sum + hour.failed, 0);
    const most = hours.reduce((a, b) => (b.failed > a.failed ? b : a));
    const found = total === 0 ? "No job" : (unread ? "At least " : "") + count(total, "job");
    const peak = total === 0 ? "" : `, most in the hour from ${minute(most.at)}: ${number(most.failed)}`;
    return `${found} failed in the last ${hours.length} hours${peak}.` + (unread ? ` Failures before ${time(since)} were not read.` : "");
}

/** The bars of the hours. The current hour is still open, and hours that were not read are grey. */
function hourBars({ hours, unread }, width, height, top) {
    const step = width / hours.length;
    const gap = step / 8;
    return html`${unread > 0 && html`<rect class="unread" width=${(unread * step).toFixed(1)} height=${height} />`}
    ${hours.map(({ failed }, i) => {
        const bar = (failed / top) * height;
        const open = i === hours.length - 1;
        return (
            failed > 0 &&
            html`<rect
                class=${open ? "f-failed now" : "f-failed"}
                x=${(i * step + gap).toFixed(1)}
                width=${(step - 2 * gap).toFixed(1)}
                y=${(height - bar).toFixed(1)}
                height=${bar.toFixed(1)}
            />`
        );
    })}`;
}

/** The failures of a code by hour, small. */
export function Trend({ data }) {
    useSettings(); // the zone
    const top = Math.max(4, ...data.hours.map(({ failed }) => failed));
    return html`<svg class="spark" viewBox="0 0 96 22" role="img">
        <title>${told(data)}</title>
        ${hourBars(data, 96, 21, top)}
        <path class="gridline" d="M0 21.5H96" />
    </svg>`;
}

/** The failures of a code by hour, with a scale and a table. */
export function Failed({ data }) {
    const { hours, unread, since } = data;
    const top = roundUp(Math.max(4, ...hours.map(({ failed }) => failed)));
    const cell = ({ at, failed }) =>
        failed === null ? "not read" : (unread && Date.parse(at) < Date.parse(since) ? "at least " : "") + number(failed);
    return html`<figure class="pad">
            <div class="chart">
                <div class="y">${[1, 0.75, 0.5, 0.25, 0].map((part) => html`<span>${number(part * top)}</span>`)}</div>
                <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${told(data)}>
                    ${[0, 0.25, 0.5, 0.75, 1].map((part) => html`<line class="gridline" x1="0" x2=${WIDTH} y1=${part * HEIGHT} y2=${part * HEIGHT} />`)}
                    ${hourBars(data, WIDTH, HEIGHT, top)}
                </svg>
                <${Times} points=${hours} />
                <figcaption class="x">
                    <span class="key"
                        ><svg viewBox="0 0 16 8" aria-hidden="true"><rect class="f-failed" width="16" height="8" /></svg>failed, and not retried
                        since</span
                    >
                    <span class="key"
                        ><svg viewBox="0 0 16 8" aria-hidden="true"><rect class="f-failed now" width="16" height="8" /></svg>hour still open</span
                    >
                    ${
                        unread > 0 &&
                        html`<span class="key"
                            ><svg viewBox="0 0 16 8" aria-hidden="true"><rect class="unread" width="16" height="8" /></svg
                            >${"not read: before " + time(since)}</span
                        >`
                    }
                </figcaption>
            </div>
        </figure>
        <${Data} head=${["Hour", "Failed"]} rows=${() => hours.map((hour) => [minute(hour.at), cell(hour)])} />`;
}

/** A small line of numbers. Red if what it shows grows now. */
export function Spark({ values, hot }) {
    const top = Math.max(1, ...values);
    const d = values
        .map((value, i) => `${i ? "L" : "M"}${((i * 96) / (values.length - 1)).toFixed(1)} ${(21 - (value / top) * 20).toFixed(1)}`)
        .join("");
    return html`<svg class=${hot ? "spark hot" : "spark"} viewBox="0 0 96 22" aria-hidden="true"><path class="line" d=${d} /></svg>`;
}
