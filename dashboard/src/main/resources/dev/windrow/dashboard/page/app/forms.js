/** Fields of forms, with the error of the API beside the field that it names. */
import { html, useId } from "./html.js";

/** Returns the field that a problem names, such as "rate: 'x' is not allowed"; null if it names none of these. */
export function fieldOf(problem, names) {
    return names.find((name) => new RegExp(`^${name}\\b`).test(problem?.message ?? "")) ?? null;
}

/** The name is that of the API. The label beside the text says it in words. */
function withoutName(message, name) {
    return message.startsWith(name + ": ") ? message.slice(name.length + 2) : message;
}

/** A labelled input. Other properties go to the input. */
export function Field({ name, label, problem, hint, ...input }) {
    const id = useId();
    const bad = fieldOf(problem, [name]) !== null;
    const described = [bad && id + "-bad", hint && id + "-hint"].filter(Boolean).join(" ");
    return html`<div class="field">
        <label for=${id}>${label}</label>
        <input
            class="input"
            id=${id}
            name=${name}
            autocomplete="off"
            aria-invalid=${bad ? "true" : null}
            aria-describedby=${described || null}
            ...${input}
        />
        ${hint && html`<small class="muted" id=${id + "-hint"}>${hint}</small>`}
        ${bad && html`<small class="bad wrap" role="alert" id=${id + "-bad"}>${withoutName(problem.message, name)}</small>`}
    </div>`;
}

/** The reason of a change, for the audit. */
export function Reason({ problem }) {
    return html`<${Field} name="reason" label="Reason" maxlength="500" placeholder="Shown in the audit" problem=${problem} />`;
}
