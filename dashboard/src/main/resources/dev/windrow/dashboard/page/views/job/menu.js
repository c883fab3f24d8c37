/** A button that opens a list of commands. Escape closes it and returns the focus; the arrow keys move in it. */
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from "../../app/html.js";
import { Icon } from "../../app/parts.js";

/** Items are [text, action] or [text, address of a view]. */
export function Menu({ label, items }) {
    const [open, setOpen] = useState(false);
    const box = useRef(null);
    const id = useId();
    useEffect(() => {
        if (!open) {
            return undefined;
        }
        const outside = (event) => box.current?.contains(event.target) || setOpen(false);
        document.addEventListener("pointerdown", outside);
        return () => document.removeEventListener("pointerdown", outside);
    }, [open]);
    const entries = () => [...box.current.querySelectorAll("li > *")];
    const had = useRef(false);
    useLayoutEffect(() => {
        // An entry that the job no longer allows is gone, and the focus with it.
        if (open && had.current && document.activeElement === document.body) {
            entries()[0].focus();
        }
    });
    had.current = open && (box.current?.contains(document.activeElement) ?? false);
    const pressed = (event) => {
        if (event.key === "Escape" && open) {
            setOpen(false);
            box.current.querySelector("button").focus();
        }
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && open) {
            event.preventDefault();
            const at = entries().indexOf(document.activeElement);
            entries()[(at + step + entries().length) % entries().length].focus();
        }
    };
    const left = (event) => !box.current || box.current.contains(event.relatedTarget) || event.relatedTarget === null || setOpen(false);
    return html`<div class="pop-box" ref=${box} onKeyDown=${pressed} onFocusOut=${left}>
        <button class="btn" type="button" aria-expanded=${open} aria-controls=${id} onClick=${() => setOpen(!open)}>
            ${label} <${Icon} name="down" />
        </button>
        ${
            open &&
            html`<ul class="list pop" id=${id}>
                ${items.map(
                    ([text, target]) =>
                        html`<li key=${text}>
                            ${
                                typeof target === "string"
                                    ? html`<a href=${target}>${text}</a>`
                                    : html`<button
                                          type="button"
                                          onClick=${() => {
                                              setOpen(false);
                                              box.current.querySelector("button").focus();
                                              target();
                                          }}
                                      >
                                          ${text}
                                      </button>`
                            }
                        </li>`,
                )}
            </ul>`
        }
    </div>`;
}
