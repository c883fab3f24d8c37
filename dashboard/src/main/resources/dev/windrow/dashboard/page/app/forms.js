/** Fields of forms, with the error of the API beside the field that it names. */
import { html, useId } from "./html.js";

/** A ref that gives the focus to an element as it appears, for what comes later in an open dialog. */
export function takeFocus(element) {
    element?.focus();
}

/** Returns the field that a problem names, such as "rate: 'x' is not allowed"; null if it names none of these. */
export function fieldOf(problem, names) {
    return names.find((name) => new RegExp(`^${name}\\b`).test(problem?.message ?? "")) ?? null;
}

/** The name is that of the API. The label beside the text says it in words. */
function withoutName(message, name) {
    return message.startsWith(name + ": ") ? message.slice(name.length + 2) : message;
}

/**
 * A labelled input; with "rows" for texts of several lines, with "list" completed from these words. Other properties go to the input.
 *
 * @param problem the answer of the API, shown if it names this field
 * @param wrong what is wrong with the typed text, in words
 */
export function Field({ name, label, problem, wrong, hint, list, rows, ...input }) {
    const id = useId();
    const refused = !wrong && fieldOf(problem, [name]) !== null;
    const bad = wrong || (refused && withoutName(problem.message, name));
    const described = [bad && id + "-bad", hint && id + "-hint"].filter(Boolean).join(" ");
    const all = {
        class: rows ? "input mono" : "input",
        id,
        name,
        ref: input.autofocus ? takeFocus : null,
        autocomplete: "off",
        spellcheck: false,
        "aria-invalid": bad ? "true" : null,
        "aria-describedby": described || null,
        ...input,
    };
    return html`<div class="field">
        <label for=${id}>${label}</label>
        ${rows ? html`<textarea rows=${rows} ...${all}></textarea>` : html`<input list=${list ? id + "-list" : null} ...${all} />`}
        ${list && html`<datalist id=${id + "-list"}>${list.map((one) => html`<option value=${one} />`)}</datalist>`}
        ${hint && html`<small class="muted" id=${id + "-hint"}>${hint}</small>`}
        ${bad && html`<small class="bad wrap" role=${refused ? "alert" : null} id=${id + "-bad"}>${bad}</small>`}
    </div>`;
}

/** A labelled choice. The options are [value, text]. Other properties go to the choice, except the problems of a field. */
export function Select({ label, options, value, problem, wrong, ...select }) {
    return html`<label class="field"
        ><span>${label}</span
        ><select class="input" value=${value} ...${select}>
            ${options.map(([key, text]) => html`<option value=${key} selected=${key === value}>${text}</option>`)}
        </select></label
    >`;
}

/** The retry policy of jobs. "input" returns the properties of a field by its name. */
export function RetryField({ input }) {
    return html`<${Field}
        label="Retry policy"
        maxlength="300"
        class="input mono"
        placeholder="that of the type"
        hint="Delays in milliseconds: fixed(1000), delays(1000,5000) or exponential(1000,4.0,3600000,0.2)"
        ...${input("retryPolicy")}
    />`;
}

/** The concurrency key of jobs with its limit. The values are those of {@link keyValues}. */
export function KeyFields({ values, input }) {
    const inSequence = values.order === "sequence";
    return html`<${Field} label="Concurrency key" maxlength="200" placeholder="none" ...${input("concurrencyKey")} />
        <div class="two">
            <${Select}
                label="Jobs with the key run"
                options=${[
                    ["", "Together, up to a limit"],
                    ["sequence", "One after the other"],
                ]}
                disabled=${!values.concurrencyKey}
                ...${input("order")}
            />
            <${Field}
                label="At once"
                inputmode="numeric"
                placeholder="as the key allows"
                disabled=${!values.concurrencyKey || inSequence}
                ...${input("concurrencyLimit")}
                value=${inSequence ? "1" : values.concurrencyLimit}
            />
        </div>`;
}

/** Returns the values of the fields of a key, from a job or a schedule of the API. */
export function keyValues({ concurrencyKey, concurrencyLimit, sequenceKey }) {
    return {
        concurrencyKey: sequenceKey ?? concurrencyKey ?? "",
        concurrencyLimit: String(concurrencyLimit ?? ""),
        order: sequenceKey ? "sequence" : "",
    };
}

/** Returns the concurrency key as the API names it in a request. */
export function keyOf({ concurrencyKey, concurrencyLimit, order }) {
    if (!concurrencyKey) {
        return {};
    }
    const limit = concurrencyLimit.trim();
    // The API says what is wrong with a text that is no number.
    const number = /^\d{1,15}$/.test(limit) ? Number(limit) : limit;
    return order === "sequence" ? { sequenceKey: concurrencyKey } : { concurrencyKey, concurrencyLimit: limit ? number : undefined };
}

/** The reason of a change, for the audit. */
export function Reason({ problem }) {
    return html`<${Field} name="reason" label="Reason" maxlength="500" placeholder="Shown in the audit" problem=${problem} />`;
}
