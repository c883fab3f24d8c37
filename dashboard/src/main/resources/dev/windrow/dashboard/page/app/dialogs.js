/** Dialogs, and short messages at the corner. Dialogs are native: the focus stays inside and returns, Escape closes. */
import { Field, Reason } from "./forms.js";
import { html, useEffect, useId, useRef, useState } from "./html.js";

/** A dialog that is open while it exists: in the middle, at the right as a drawer, or near the top as a palette. */
export function Dialog({ title, close, drawer, palette, children }) {
    const dialog = useRef(null);
    const id = useId();
    useEffect(() => {
        const before = document.activeElement;
        dialog.current.showModal();
        return () => before?.isConnected && before.focus();
    }, []);
    const outside = (event) => event.target === dialog.current && close();
    return html`<dialog
        ref=${dialog}
        class=${drawer ? "drawer" : palette ? "palette" : null}
        aria-labelledby=${id}
        onClose=${close}
        onMouseDown=${outside}
    >
        <div>
            <h2 id=${id}>${title}</h2>
            ${children}
        </div>
    </dialog>`;
}

/**
 * A question before a change. The safe button says what it keeps. With "typed" the person types this text first. The action returns a promise; its
 * problem is shown, and the dialog stays. A problem after the dialog was closed is a message at the corner.
 */
export function Question({ title, children, action, run, keep = "Keep as it is", danger, typed, close }) {
    const [busy, setBusy] = useState(false);
    const [problem, setProblem] = useState(null);
    const [text, setText] = useState("");
    const closed = useRef(false);
    useEffect(() => () => (closed.current = true), []);
    const submit = async (event) => {
        event.preventDefault();
        setBusy(true);
        setProblem(null);
        try {
            await run(new FormData(event.target));
            if (!closed.current) {
                close();
            }
        } catch (failure) {
            if (closed.current) {
                toast(`${action}: ${failure.message}`, { error: true });
            } else {
                setProblem(failure);
                setBusy(false);
            }
        }
    };
    return html`<${Dialog} title=${title} close=${close}>
        <form class="stack" onSubmit=${submit}>
            ${children}
            <${Reason} />
            ${typed && html`<${Field} label=${`Type ${typed} to confirm`} value=${text} onInput=${(event) => setText(event.target.value)} />`}
            ${problem && html`<p class="bad" role="alert">${problem.message}</p>`}
            <div class="acts">
                <button class="btn" type="button" onClick=${close}>${keep}</button>
                <button class=${danger ? "btn danger main-act" : "btn main-act"} disabled=${busy || (typed && text !== typed)}>${action}</button>
            </div>
        </form>
    <//>`;
}

const MESSAGE_MILLIS = 6000;
let showMessage = () => {};

/** Says what has happened, in the past tense. An error stays until it is closed. A link is {href, text}. */
export function toast(text, { link, error = false } = {}) {
    showMessage({ text, link, error });
}

/** Shows a problem of a change in its form; at the corner if the form was closed meanwhile. */
export function showProblem(problem, form, show) {
    if (form.isConnected) {
        show(problem);
    } else {
        toast(problem.message, { error: true });
    }
}

export function Toasts() {
    const [messages, setMessages] = useState([]);
    const remove = (message) => setMessages((all) => all.filter((other) => other !== message));
    useEffect(() => {
        showMessage = (message) => {
            setMessages((all) => [...all.slice(-2), message]);
            if (!message.error) {
                setTimeout(() => remove(message), MESSAGE_MILLIS);
            }
        };
    }, []);
    return html`<div class="toasts" role="status">
        ${messages.map(
            (message) =>
                html`<div class="toast">
                    <span class=${message.error ? "bad grow" : "grow"}>${message.text}</span>
                    ${message.link && html`<a href=${message.link.href}>${message.link.text}</a>`}
                    ${message.error && html`<button class="btn slim bare" type="button" onClick=${() => remove(message)}>Close</button>`}
                </div>`,
        )}
    </div>`;
}
