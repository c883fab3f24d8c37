/** The HTTP API. Each answer is parsed once; an unchanged one (304) is the same object as before. */
import { decode } from "./route.js";

/** An answer that is not a success, or no answer at all. */
export class Problem extends Error {
    constructor(status, body) {
        super(body.detail ?? body.title ?? "status " + status);
        this.status = status;
        this.body = body;
    }

    /** The last word of the type, such as changed-meanwhile. */
    get kind() {
        return (this.body.type ?? "").split(/[/:#]/).pop();
    }
}

/** A number that JavaScript would round. */
export class Exact {
    constructor(text) {
        this.text = text;
    }

    toString() {
        return this.text;
    }

    /** Keeps the text when a value with such a number is written as JSON again. */
    toJSON() {
        return JSON.rawJSON(this.text);
    }
}

const TOKEN = "windrow.token." + location.pathname;
const known = new Map();
const signedInListeners = new Set();
const signedOutListeners = new Set();
const CLOCK_STEP = 5000;
/** The header with a token that the framework around the API wants with each change: its name and its value. */
let csrf = null;
let clockOffset = null;
let token = kept();

/** Takes the token out of the address, where windrow serve prints it, so that it is neither in the history nor in a copied address. */
function takeToken() {
    const match = /^#token=(.+)$/.exec(location.hash);
    if (match) {
        history.replaceState(null, "", location.pathname + location.search + "#/");
        signIn(decode(match[1]));
    }
}

function kept() {
    try {
        return sessionStorage.getItem(TOKEN);
    } catch {
        return null;
    }
}

function keep(text) {
    try {
        sessionStorage.setItem(TOKEN, text);
    } catch {
        // The token lasts as long as the page.
    }
}

export function signIn(text) {
    token = text;
    keep(text);
    known.clear();
    signedInListeners.forEach((listener) => listener());
}

/** Calls the listener when there are new credentials. Returns a function that ends this. */
export function onSignedIn(listener) {
    signedInListeners.add(listener);
    return () => signedInListeners.delete(listener);
}

takeToken();
window.addEventListener("hashchange", takeToken); // the address may be pasted into an open tab

/** Calls the listener when the server no longer accepts the credentials. Returns a function that ends this. */
export function onSignedOut(listener) {
    signedOutListeners.add(listener);
    return () => signedOutListeners.delete(listener);
}

/** Returns the address of a path of the API, such as "jobs/1". Segments of a list are encoded. */
export function address(path, query = {}) {
    const pairs = [
        ...(query instanceof URLSearchParams ? query : Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))),
    ];
    const text = new URLSearchParams(pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")).toString();
    return (
        "api/v1/" +
        [path]
            .flat()
            .map((part) => (Array.isArray(path) ? encodeURIComponent(part) : part))
            .join("/") +
        (text ? "?" + text : "")
    );
}

export function parse(text) {
    return JSON.parse(text, (name, value, context) =>
        typeof value === "number" && context?.source !== undefined && String(value) !== context.source ? new Exact(context.source) : value,
    );
}

/** Learns the clock of the server from its answers. An answer takes a while to arrive, so the greatest difference is the nearest. */
function learnClock(response) {
    const offset = Date.parse(response.headers.get("Windrow-Time") ?? response.headers.get("Date")) - Date.now();
    if (!Number.isNaN(offset) && (clockOffset === null || offset > clockOffset || clockOffset - offset > CLOCK_STEP)) {
        clockOffset = offset;
    }
}

/** Returns the time of the server, a little early and never late, so that a filter with it takes no job that ends afterwards. */
export function serverNow() {
    return Date.now() + (clockOffset ?? 0);
}

/** Waits for an answer, or for its body. A lost connection is a problem of the status 0. */
async function arrived(promise, title) {
    try {
        return await promise;
    } catch (e) {
        throw e.name === "AbortError" ? e : new Problem(0, { title });
    }
}

function bodyOf(response, read = "text") {
    return arrived(response[read](), "The connection was lost before the answer was complete.");
}

async function send(url, options) {
    const headers = { Accept: "application/json", ...options.headers };
    const sent = token;
    if (sent) {
        headers.Authorization = "Bearer " + sent;
    }
    const response = await arrived(fetch(url, { ...options, headers, cache: "no-store" }), "The server does not answer.");
    learnClock(response);
    csrf = response.headers.get("Windrow-Csrf")?.split(" ") ?? csrf;
    if (response.ok || response.status === 304) {
        return response;
    }
    const text = await bodyOf(response);
    let body;
    try {
        body = JSON.parse(text);
    } catch {
        body = { title: "The server answers with status " + response.status + "." };
    }
    // A late answer to the token before says nothing about this one.
    if (response.status === 401 && sent === token) {
        signedOutListeners.forEach((listener) => listener());
    }
    throw new Problem(response.status, body);
}

/** Reads an address of {@link address}. */
export async function get(url, signal) {
    const last = known.get(url);
    const response = await send(url, { signal, headers: last ? { "If-None-Match": last.tag } : {} });
    if (response.status === 304) {
        return last.data;
    }
    const data = parse(await bodyOf(response));
    const tag = response.headers.get("ETag");
    if (tag) {
        known.delete(url);
        known.set(url, { tag, data });
        if (known.size > 50) {
            known.delete(known.keys().next().value); // the oldest
        }
    }
    return data;
}

export async function text(url, signal) {
    return bodyOf(await send(url, { signal, headers: { Accept: "*/*" } }));
}

/** Reads the beginning of a long answer, of at most so many characters, and gives up the rest. */
export async function beginning(url, length) {
    const response = await send(url, { headers: { Accept: "*/*" } });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (let part = { done: false }; !part.done && text.length < length;) {
        part = await arrived(reader.read(), "The connection was lost before the answer was complete.");
        text += decoder.decode(part.value, { stream: !part.done });
    }
    reader.cancel().catch(() => {}); // nothing is read any more
    return text.slice(0, length);
}

/** Lets the browser save an answer as a file. A plain link would not send the token. */
export async function download(url, name) {
    const response = await send(url, { headers: { Accept: "*/*" } });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await bodyOf(response, "blob"));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser has begun by then
}

/** Makes a change. A body of text is JSON already. With a version the change is made only if the job has not changed since. */
export async function change(method, url, body, version) {
    const headers = version === undefined ? {} : { "If-Match": `"${version}"` };
    if (body !== undefined) {
        headers["Content-Type"] = "application/json";
    }
    const content = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const attempt = () => send(url, { method, headers: { ...headers, ...(csrf && { [csrf[0]]: csrf[1] }) }, body: content });
    let response;
    try {
        response = await attempt();
    } catch (problem) {
        // Not the API, but the framework has refused: the token was that of an earlier session.
        if (problem.status !== 403 || problem.body.type !== undefined || !csrf) {
            throw problem;
        }
        await send(address(""), {});
        response = await attempt();
    }
    return parse(await bodyOf(response));
}

/** How often a cancel is sent again. */
export const REPEATS = 3;

/** Sends a cancel again while the job changes, but stays in its state: a heartbeat makes no difference to it. */
export async function persist(send, seen, version) {
    for (let i = 0; ; i++) {
        try {
            return await send();
        } catch (problem) {
            if (problem.kind !== "changed-meanwhile" || problem.body.state !== seen.state || i === REPEATS) {
                throw problem;
            }
            version.current = problem.body.version;
        }
    }
}
