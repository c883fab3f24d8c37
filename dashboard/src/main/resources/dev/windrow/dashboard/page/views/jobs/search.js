/** The search box: what is set as chips, then an input that completes qualifiers and their values. */
import { address, get } from "../../app/api.js";
import { count, exactTime } from "../../app/format.js";
import { html, useEffect, useRef, useState } from "../../app/html.js";
import { useKeys } from "../../app/keys.js";
import { Icon, STATES } from "../../app/parts.js";
import { go, to } from "../../app/route.js";
import { QUALIFIERS, parseParts, parseTime, shown, withPart } from "./filter.js";

const PAUSE_MILLIS = 120;
const MOST_VALUES = 10;
const MOST_WIDE = 3;
/** The number of codes that the overview has at most: with so many, others may be missing. */
const MOST_CODES = 20;

/** Qualifiers whose values are offered before a qualifier is typed. */
const WIDE = ["type", "queue", "errorCode", "tag"];
const PAST = ["15m", "1h", "24h", "7d", "today"];

/** @param reveals if the person may search in payloads and metadata, which finds out hidden values */
export function Search({ filter, change, data, reveals }) {
    const input = useRef(null);
    const [text, setText] = useState("");
    const [open, setOpen] = useState(false);
    const [at, setAt] = useState(-1);
    const [problem, setProblem] = useState(null);
    const names = useNames(text, open);
    const options = open ? optionsOf(text, names, filter, data).filter(({ search }) => reveals || !search) : [];
    const selected = Math.min(at, options.length - 1);

    useKeys({ "/": () => input.current.focus() });
    useEffect(() => {
        document.getElementById("search-" + selected)?.scrollIntoView({ block: "nearest" });
    }, [selected]);

    const type = (value) => {
        setText(value);
        setProblem(null);
        setOpen(true);
        setAt(value ? 0 : -1);
    };
    const add = (parts) => {
        change(parts.reduce(withPart, filter));
        type("");
        setOpen(false);
    };
    const take = (option) => {
        if (option.text !== undefined) {
            type(option.text);
            input.current.focus();
        } else if (option.href) {
            go(option.href);
        } else {
            add([option.part]);
        }
    };
    const enter = () => {
        if (options[selected]) {
            take(options[selected]);
        } else if (text.trim()) {
            try {
                add(parseParts(text));
            } catch (failure) {
                setProblem(failure.message);
            }
        }
    };
    const pressed = (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step) {
            setOpen(true);
            setAt(options.length ? (selected + step + options.length) % options.length : 0);
        } else if (event.key === "Enter" && !event.isComposing) {
            enter();
        } else if (event.key === "Escape" && (open || text)) {
            setOpen(false);
            if (!open) {
                type("");
                setOpen(false);
            }
        } else if (event.key === "Backspace" && !text && filter.length) {
            change(filter.slice(0, -1));
        } else {
            return;
        }
        event.preventDefault();
    };
    const left = (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) {
            setOpen(false);
        }
    };
    return html`<div class="search" role="search" onFocusOut=${left}>
        <div class="box" onClick=${(event) => event.target === event.currentTarget && input.current.focus()}>
            <${Icon} name="search" />
            ${filter.map(
                (part) =>
                    html`<span class="chip" key=${part.join()} title=${/(After|Before)$/.test(part[0]) ? exactTime(part[1]) : shown(part)}>
                        <bdi>${shown(part)}</bdi>
                        <button
                            type="button"
                            aria-label=${"Remove " + shown(part)}
                            onClick=${() => {
                                change(filter.filter((other) => other !== part));
                                input.current.focus();
                                setOpen(false);
                            }}
                        >
                            <${Icon} name="close" />
                        </button>
                    </span>`,
            )}
            <input
                ref=${input}
                role="combobox"
                aria-label="Search jobs"
                aria-expanded=${options.length > 0}
                aria-controls="search-list"
                aria-autocomplete="list"
                aria-activedescendant=${selected >= 0 ? "search-" + selected : null}
                aria-invalid=${problem ? "true" : null}
                aria-describedby=${problem ? "search-problem" : null}
                placeholder="Add a filter"
                autocomplete="off"
                spellcheck=${false}
                value=${text}
                onInput=${(event) => type(event.target.value)}
                onFocus=${() => setOpen(true)}
                onClick=${() => setOpen(true)}
                onKeyDown=${pressed}
            /><kbd class="p2">/</kbd>
        </div>
        <ul class="list" id="search-list" role="listbox" aria-label="Filters" hidden=${options.length === 0}>
            ${options.map(
                (option, i) =>
                    html`<li
                        key=${option.label}
                        id=${"search-" + i}
                        role="option"
                        aria-selected=${i === selected}
                        onMouseDown=${(event) => event.preventDefault()}
                        onClick=${() => take(option)}
                    >
                        <bdi class="mono wrap">${option.label}</bdi><small class="muted">${option.hint}</small>
                    </li>`,
            )}
        </ul>
        ${problem && html`<p class="bad small" id="search-problem" role="alert">${problem}</p>`}
    </div>`;
}

/** Reads the names that complete the text: of one qualifier, or the first ones of several. */
function useNames(text, open) {
    const [names, setNames] = useState({});
    useEffect(() => {
        const typed = split(text);
        const wanted = !open || !text ? [] : typed ? [typed.qualifier] : QUALIFIERS.filter(({ name }) => WIDE.includes(name));
        const fields = wanted.filter(({ suggest }) => suggest);
        if (fields.length === 0) {
            setNames({});
            return undefined;
        }
        const abort = new AbortController();
        const timer = setTimeout(async () => {
            const begin = typed ? typed.value : text.trim();
            const query = { prefix: begin.replace(/:\*$/, ":"), limit: typed ? MOST_VALUES : MOST_WIDE };
            const read = ({ name, suggest }) =>
                get(address("suggest", { field: suggest, ...query }), abort.signal).then((answer) => [
                    name,
                    name === "errorCode" ? withCategories(answer.names).filter((one) => one.startsWith(begin)) : answer.names,
                ]);
            // Completion is a help: without an answer the person types on.
            const found = await Promise.all(fields.map((field) => read(field).catch(() => [field.name, []])));
            if (!abort.signal.aborted) {
                setNames(Object.fromEntries(found));
            }
        }, PAUSE_MILLIS);
        return () => {
            clearTimeout(timer);
            abort.abort();
        };
    }, [text, open]);
    return names;
}

/** Returns the error codes with their categories: PROCESS:* stands for each code that begins with PROCESS: */
function withCategories(codes) {
    return [...new Set(codes.flatMap((code) => (code.includes(":") ? [code.replace(/:.*/s, ":*"), code] : [code])))];
}

/** Splits "queue:ma" into the qualifier and the begin of its value; null before the colon. */
function split(text) {
    const match = /^\s*(\w+)([:.])(.*)$/s.exec(text);
    const found = match && QUALIFIERS.find(({ word, search }) => word === match[1] && Boolean(search) === (match[2] === "."));
    return found ? { qualifier: found, value: match[3].trim() } : null;
}

function optionsOf(text, names, filter, data) {
    const typed = split(text);
    const isSet = ([name, value]) => filter.some((part) => part[0] === name && part[1] === value);
    if (typed) {
        return valuesOf(typed, names, data).filter(({ part }) => !part || !isSet(part));
    }
    const begin = text.trim().toLowerCase();
    const options = QUALIFIERS.filter(({ word }) => word.toLowerCase().startsWith(begin)).map(({ word, search, path, meaning }) => ({
        label: search ? `${word}.${path}` : word + ":",
        hint: meaning,
        search,
        text: search ? `${word}.${path}` : word + ":",
    }));
    if (!begin) {
        return options;
    }
    if (/^\d{1,19}$/.test(begin)) {
        options.push({ label: "Job " + begin, hint: "open it", href: to(["jobs", begin]) });
    }
    for (const [name, values] of Object.entries(names)) {
        options.push(...values.map((value) => option([name, value], data)).filter(({ part }) => !isSet(part)));
    }
    const states = STATES.filter((state) => state.toLowerCase().startsWith(begin)).map((state) => option(["state", state], data));
    return [...states, ...options];
}

function valuesOf({ qualifier: { name, instant, suggest }, value }, names, data) {
    if (name === "state") {
        return STATES.filter((state) => state.toLowerCase().startsWith(value.toLowerCase())).map((state) => option([name, state], data));
    }
    if (instant) {
        return (value ? [value] : PAST).flatMap((text) => {
            try {
                const at = parseTime(text);
                return [{ ...option([name, at], data), hint: value ? "" : /\d/.test(text) ? text + " ago" : text }];
            } catch {
                return []; // not complete yet
            }
        });
    }
    // A name that was completed for the text before is in the list until the new names arrive.
    return suggest ? (names[name] ?? []).filter((one) => one.startsWith(value)).map((one) => option([name, one], data)) : [];
}

/** A whole part, with the number of jobs if the overview knows it. */
function option(part, data) {
    const jobs = jobsOf(part, data);
    return { label: shown(part), hint: jobs === undefined ? "" : count(jobs, "job"), part };
}

function jobsOf([name, value], data) {
    const sum = (states) => states && Object.values(states).reduce((a, b) => a + b, 0);
    return {
        state: () => data?.states[value],
        queue: () => sum(data?.queues.find(({ queue }) => queue === value)?.states),
        type: () => sum(data?.types.find(({ type }) => type === value)?.states),
        errorCode: () => jobsOfCode(value, data?.failures ?? []),
    }[name]?.();
}

function jobsOfCode(code, failures) {
    if (!code.endsWith(":*")) {
        return failures.find(({ errorCode }) => errorCode === code)?.count;
    }
    const jobs = failures.reduce((sum, failure) => sum + (failure.errorCode.startsWith(code.slice(0, -1)) ? failure.count : 0), 0);
    return failures.length < MOST_CODES && jobs ? jobs : undefined;
}
