/** Addresses: the view and all its state stand behind the hash, such as #/jobs?state=FAILED, so that the page works under any path. */
import { useEffect, useState } from "./html.js";

/** Returns the address of a view. Values that are null, undefined or empty are left out; a list gives its name several times. */
export function to(path, query = {}) {
    const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
    const text = new URLSearchParams(pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")).toString();
    const segments = [path].flat().map(encodeURIComponent).join("/");
    return "#/" + segments + (text ? "?" + text : "");
}

/** Reads the address: the segments of the path, and the parameters by name. */
export function route(hash = location.hash) {
    const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
    return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

/** Decodes a part of an address. A part that is not encoded stays as it is. */
export function decode(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

export function go(address) {
    location.hash = address;
}

/** Changes the address without an entry in the history: for state that changes with each key. */
export function replace(address) {
    history.replaceState(null, "", address);
    window.dispatchEvent(new Event("hashchange"));
}

export function useRoute() {
    const [shown, show] = useState(location.hash);
    useEffect(() => {
        const changed = () => show(location.hash);
        window.addEventListener("hashchange", changed);
        changed(); // it may have changed since it was drawn
        return () => window.removeEventListener("hashchange", changed);
    }, []);
    return route(shown);
}
