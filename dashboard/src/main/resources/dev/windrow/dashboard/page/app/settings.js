/** The choices of a person, kept by the browser for all pages of this address: refresh, time zone, theme, single keys. */
import { useEffect, useState } from "./html.js";

export const REFRESH_SECONDS = [1, 2, 5, 15, 60, 0];

const NAME = "windrow." + location.pathname;
const DEFAULTS = { refresh: 2, zone: "utc", theme: "auto", keys: true, columns: null, rows: 50 };
const listeners = new Set();
let values = { ...DEFAULTS, ...read() };

function read() {
    try {
        return JSON.parse(localStorage.getItem(NAME)) ?? {};
    } catch {
        return {}; // storage is off, or holds something else
    }
}

export function settings() {
    return values;
}

export function set(changes) {
    values = { ...values, ...changes };
    try {
        localStorage.setItem(NAME, JSON.stringify(values));
    } catch {
        // The choice lasts as long as the page.
    }
    apply();
    listeners.forEach((listener) => listener(values));
}

/** Shows the theme. "auto" leaves it to the system. */
export function apply() {
    if (values.theme === "auto") {
        delete document.documentElement.dataset.theme;
    } else {
        document.documentElement.dataset.theme = values.theme;
    }
}

export function useSettings() {
    const [shown, show] = useState(values);
    useEffect(() => {
        listeners.add(show);
        return () => listeners.delete(show);
    }, []);
    return shown;
}
