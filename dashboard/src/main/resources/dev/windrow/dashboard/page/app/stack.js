/** Stack traces: the application's frames are bold, the others muted, and long runs of the engine's frames are folded. */
import { html, useState } from "./html.js";
import { Copy } from "./parts.js";

const ENGINE = /^dev\.windrow\.(engine|sqlite|postgres|wire|json)\./;
const LIBRARY = /^(java|javax|jdk|sun|com\.sun|jakarta|kotlin|kotlinx|scala|groovy)\./;
const FRAMES_KEPT = 2;

/** The class and method of a line such as "at java.base/java.lang.Thread.run(Thread.java:840)"; null for another line. */
function frame(line) {
    return /^\s*at (?:[^\s(]*\/)?([^\s(]+)\(/.exec(line)?.[1] ?? null;
}

/** The first two words of the package of the handler, or its class if it has no package. Null if the engine is not in the trace. */
function root(lines) {
    const frames = lines.map(frame).filter(Boolean);
    const called = frames.findIndex((name) => ENGINE.test(name));
    const handler = frames.slice(0, Math.max(0, called)).findLast((name) => !LIBRARY.test(name));
    if (!handler) {
        return null;
    }
    const words = handler.split(".");
    return words.slice(0, Math.min(2, Math.max(1, words.length - 2))).join(".") + ".";
}

/** Returns the lines as [class, text]: "own" or "far". */
export function marked(stack, { folded = true } = {}) {
    const lines = stack.trimEnd().replaceAll("\t", "    ").split("\n");
    const prefix = root(lines);
    const isOwn = (line) => {
        const name = frame(line);
        if (name === null) {
            return !/^\s*\.\.\. \d+/.test(line); // a message
        }
        return prefix ? name.startsWith(prefix) : !ENGINE.test(name) && !LIBRARY.test(name);
    };
    const result = [];
    let run = 0;
    for (const line of lines) {
        run = ENGINE.test(frame(line) ?? "") ? run + 1 : 0;
        if (folded && run > FRAMES_KEPT) {
            if (run > FRAMES_KEPT + 1) {
                result.pop();
            }
            const left = run - FRAMES_KEPT;
            result.push(["far", `    ... ${left} more ${left === 1 ? "frame" : "frames"} of the engine`]);
        } else {
            result.push([isOwn(line) ? "own" : "far", line]);
        }
    }
    return result;
}

export function Stack({ stack, label, children }) {
    const [folded, setFolded] = useState(true);
    const lines = marked(stack, { folded });
    return html`<pre class="code" tabindex="0" role="region" aria-label=${label}>
${lines.map(([kind, line]) => html`<span class=${kind}>${line + "\n"}</span>`)}</pre>
        <div class="row">
            <${Copy} text=${stack} />
            <button class="btn slim" type="button" aria-pressed=${!folded} onClick=${() => setFolded(!folded)}>All frames</button>
            ${children}
            <small class="muted">Frames of the application are bold.</small>
        </div>`;
}
