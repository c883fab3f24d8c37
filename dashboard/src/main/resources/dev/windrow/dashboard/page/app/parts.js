/** Small parts of all views. */
import { serverNow } from "./api.js";
import { toast } from "./dialogs.js";
import { ago, exactTime, number, time, word } from "./format.js";
import { Component, html, useEffect, useState } from "./html.js";
import { useFreshness } from "./live.js";
import { to } from "./route.js";
import { useSettings } from "./settings.js";

export const STATES = ["BLOCKED", "SCHEDULED", "PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"];
export const ENDED = ["COMPLETED", "FAILED", "CANCELLED"];

/** The code of failed jobs that have none. No filter finds them. */
export const NO_CODE = "UNKNOWN:NONE";

/** The address of the failed jobs with a code; null if no filter finds them. */
export function failedJobs(code) {
    return code === NO_CODE ? null : to("jobs", { state: "FAILED", code });
}

/** A link to the failed jobs with a code, if a filter finds them. */
export function FailedJobs({ code, css, children }) {
    const href = failedJobs(code);
    return href
        ? html`<a class=${css} href=${href}>${children}</a>`
        : html`<span class=${css} title="These jobs have no error code, and no filter finds them.">${children}</span>`;
}

export function Icon({ name, label }) {
    return html`<svg class="i" aria-hidden=${label ? null : "true"} role=${label ? "img" : null} aria-label=${label}>
        <use href=${"#i-" + name}></use>
    </svg>`;
}

/** A state: icon and word. */
export function State({ state, pill, children }) {
    return html`<span class=${(pill ? "pill state s-" : "state s-") + state.toLowerCase()}
        ><${Icon} name=${state.toLowerCase()} />${children ?? word(state)}</span
    >`;
}

/** An instant. The tooltip shows it in both zones. */
export function Time({ at, relative }) {
    const { zone } = useSettings();
    return !at ? "-" : relative ? html`<${Ago} at=${at} />` : instant(at, time(at, zone));
}

/** An instant in these words. */
export function instant(at, words) {
    return html`<time datetime=${at} title=${exactTime(at)}>${words}</time>`;
}

const clocks = new Set();
setInterval(() => document.hidden || clocks.forEach((tick) => tick(serverNow())), 1000);

/** An instant as the time since then. It is drawn when its words change, so that a long list is quiet. */
export class Ago extends Component {
    tick = (now) => ago(this.props.at, now) !== this.words && this.forceUpdate();

    componentDidMount() {
        clocks.add(this.tick);
    }

    componentWillUnmount() {
        clocks.delete(this.tick);
    }

    render({ at }) {
        this.words = ago(at, serverNow());
        return instant(at, this.words);
    }
}

/** The time of the server, anew each second while something shows it. One timer for all, so that a list is drawn once a second. */
export function useNow(ticks = true) {
    const [now, set] = useState(serverNow);
    useEffect(() => {
        if (ticks) {
            clocks.add(set);
        }
        return () => clocks.delete(set);
    }, [ticks]);
    return now;
}

/** The head of a page: breadcrumb, title, facts, the live mark, actions. The title of the browser's tab is "plain". */
export function Head({ crumbs, title, plain = typeof title === "string" ? title : null, facts, actions }) {
    useEffect(() => {
        if (plain) {
            document.title = plain + " - Windrow";
        }
    }, [plain]);
    return html`<header class="row between top head">
        <div class="grow">
            ${crumbs && html`<nav class="small" aria-label="Breadcrumb">${crumbs}</nav>`}
            <h1>${title}</h1>
            ${facts && html`<p class="muted">${facts}</p>`}
        </div>
        <div class="row"><${Live} />${actions}</div>
    </header>`;
}

function Live() {
    const { zone } = useSettings();
    const { at, failures } = useFreshness();
    return at && html`<span class=${failures > 1 ? "live late" : "live"}>${failures > 1 ? "Not live" : "Live"}, ${time(at, zone)}</span>`;
}

/** What stands above a view while the server does not answer. That a person is not signed in has a banner of its own. */
export function NotLive() {
    const { zone } = useSettings();
    const { failures, since, next, problem } = useFreshness();
    const now = useNow(failures > 1);
    if (failures < 2 || problem.status === 401) {
        return null;
    }
    const seconds = Math.max(0, Math.ceil((next - now) / 1000));
    return html`<div class="banner warn">
        <${Icon} name="warnsign" />
        <p><b>Not live since ${time(since, zone)}.</b> ${problem.message} Next try in ${seconds} s. The data on this page may be old.</p>
    </div>`;
}

export function Card({ title, aside, children, id }) {
    return html`<section class="card" id=${id}>
        <header>
            <h2>${title}</h2>
            ${aside}
        </header>
        ${children}
    </section>`;
}

/** A table, with its rows as children. A column is its heading, or [heading, class, order]; a false one is left out. */
export function Table({ caption, columns = [], css, children }) {
    const head = columns.filter(Boolean).map((column) => [column].flat());
    return html`<table class=${css}>
        <caption class="off">
            ${caption}
        </caption>
        ${
            head.length > 0 &&
            html`<thead>
                <tr>
                    ${head.map(([heading, style, order]) => html`<th scope="col" class=${style} aria-sort=${order}>${heading}</th>`)}
                </tr>
            </thead>`
        }
        <tbody>
            ${children}
        </tbody>
    </table>`;
}

/** The foot of a list of which a part is shown. */
export function ShowAll({ shown, all, onClick }) {
    return (
        shown < all && html`<div class="foot small"><button class="btn slim" type="button" onClick=${onClick}>Show all ${number(all)}</button></div>`
    );
}

/** A bar of which a part is filled, in percent. Without a label it is only beside its number. */
export function Bar({ percent, css, thin, label }) {
    return html`<svg
        class=${thin ? "bar thin" : "bar"}
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role=${label && "img"}
        aria-label=${label}
        aria-hidden=${label ? null : "true"}
    >
        <rect class=${"f-" + css} width=${Math.min(100, percent)} height="8" />
    </svg>`;
}

/** Buttons of which one is chosen. Values are [key, text]. */
export function Choice({ values, value, choose, label }) {
    return html`<div class="tabs" role="group" aria-label=${label}>
        ${values.map(([key, text]) => html`<button type="button" aria-pressed=${key === value} onClick=${() => choose(key)}>${text}</button>`)}
    </div>`;
}

/** The reason that there is nothing, and the next step. */
export function Empty({ title, children }) {
    return html`<div class="empty">
        <b>${title}</b>
        <p>${children}</p>
    </div>`;
}

/** A failure with its reason, and a button to try again. */
export function Failed({ problem, retry }) {
    return html`<div class="banner bad" role="alert">
        <${Icon} name="failures" />
        <div class="grow">
            <b>${problem.body?.title ?? "The page failed."}</b>
            ${problem.body?.detail && html`<p>${problem.body.detail}</p>`}
        </div>
        ${retry && html`<button class="btn slim" type="button" onClick=${retry}>Try again</button>`}
    </div>`;
}

/** Shows an error of a view in its place, so that the side bar stays. Another address is another try. */
export class Boundary extends Component {
    componentDidCatch(error) {
        console.error(error);
        this.setState({ error });
    }

    componentDidUpdate({ at }) {
        if (this.state.error && at !== this.props.at) {
            this.setState({ error: null });
        }
    }

    render({ children }, { error }) {
        if (!error) {
            return children;
        }
        const body = { title: String(error), detail: "Try again, or choose another page from the side bar." };
        return html`<${Head} title="This page failed" /> <${Failed} problem=${{ body }} retry=${() => this.setState({ error: null })} />`;
    }
}

/** A code that may break after its separators. */
export function breakable(code) {
    return code.split(/(?<=[:_.,(])/).map((part) => html`${part}<wbr />`);
}

/** The frame of what is not there yet. It appears only if the answer takes longer than 200 ms. */
export function Skeleton({ rows = 6 }) {
    const late = useLate();
    return html`<div class="card pad" aria-busy="true">
        <span class="off">Loading</span>
        ${Array.from({ length: rows }, (_, i) => html`<p key=${i}><span class=${late ? "bar thin" : "off"}></span> </p>`)}
    </div>`;
}

/** Returns true when 200 ms have passed. */
export function useLate() {
    const [late, setLate] = useState(false);
    useEffect(() => {
        const timer = setTimeout(() => setLate(true), 200);
        return () => clearTimeout(timer);
    }, []);
    return late;
}

/** Waits for the data of a view, and keeps old data while requests fail. */
export function Loaded({ live, children }) {
    if (live.data) {
        return children(live.data);
    }
    return live.problem ? html`<${Failed} problem=${live.problem} retry=${live.reload} />` : html`<${Skeleton} />`;
}

/** Says that a part of the page did not load. */
export function Outdated() {
    const body = { title: "This part of the page did not load.", detail: "The server may have been updated. Load the page again." };
    return html`<${Failed} problem=${{ body }} retry=${() => location.reload()} />`;
}

/** A text that is copied by a click. */
export function Copy({ text, label = "Copy" }) {
    const [done, setDone] = useState(false);
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(typeof text === "function" ? await text() : text);
            setDone(true);
            setTimeout(() => setDone(false), 2000);
        } catch (failure) {
            const reason = navigator.clipboard ? failure.message : "the browser allows it only on a page with https";
            toast(`Not copied: ${reason}. Select the text and copy it with the keyboard.`, { error: true });
        }
    };
    return html`<button class="btn slim" type="button" onClick=${copy}><${Icon} name="copy" />${done ? "Copied" : label}</button>`;
}
