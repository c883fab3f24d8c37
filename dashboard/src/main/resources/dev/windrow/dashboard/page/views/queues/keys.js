/** Concurrency keys: their permits, the jobs that hold and that wait for one. */
import { address } from "../../app/api.js";
import { number } from "../../app/format.js";
import { html, useEffect, useState } from "../../app/html.js";
import { useLive } from "../../app/live.js";
import { Card, Empty, Time } from "../../app/parts.js";
import { go, to } from "../../app/route.js";
import { useSettings } from "../../app/settings.js";
import { Pause, RateText } from "./parts.js";

const MOST_JOBS = 100;
const MOST_KEYS = 20;
const MOST_HOLDERS = 5;

function jobsOf(key) {
    return address("jobs", { concurrencyKey: key, state: ["PENDING", "RUNNING"], order: "oldest", limit: MOST_JOBS });
}

/** Reads the jobs that hold a permit of a key or wait for one. */
export function useKeyJobs(key) {
    return useLive(jobsOf(key));
}

/** The same for several keys, by their names: one after the other, because the store has no index of keys. */
function useJobsOfKeys(keys) {
    const { refresh } = useSettings();
    const [at, setAt] = useState(0);
    const [known, setKnown] = useState(new Map());
    const key = keys[at % keys.length];
    const { data, problem } = useLive(key === undefined ? null : jobsOf(key), { once: keys.length > 1 });
    useEffect(() => {
        const refused = problem?.status >= 400 && problem.status < 500;
        if (!data && !refused) {
            return undefined; // useLive tries this key again
        }
        const first = !known.has(key);
        setKnown((all) => new Map(all).set(key, data ?? all.get(key)));
        let timer = setTimeout(next, first ? 0 : Math.max(1, refresh) * 1000);
        function next() {
            if (document.hidden) {
                timer = setTimeout(next, 1000);
            } else if (refresh > 0 || first) {
                setAt((n) => n + 1);
            }
        }
        return () => clearTimeout(timer);
    }, [data, problem, key, refresh]);
    return known;
}

/** A ready job that does not wait for a permit has one, and waits for a worker. With "more" these are the oldest jobs only. */
export function keyJobs({ jobs, next }) {
    return {
        holders: jobs.filter(({ waitsForPermit }) => !waitsForPermit),
        waiting: jobs.filter(({ waitsForPermit }) => waitsForPermit),
        more: next !== null,
    };
}

export function Holders({ holders, more }) {
    return holders.length === 0
        ? html`<span class="muted">${more ? `none of the oldest ${MOST_JOBS} jobs` : "no job"}</span>`
        : html`${holders
              .slice(0, MOST_HOLDERS)
              .map(
                  ({ id, state, startedAt }, i) =>
                      html`${i > 0 && ", "}<a href=${to(["jobs", id])}>${id}</a
                          >${" "}(${state === "RUNNING" ? html`started <${Time} at=${startedAt} relative />` : "ready"})`,
              )}${holders.length > MOST_HOLDERS && ` and ${more ? "at least " : ""}${number(holders.length - MOST_HOLDERS)} others`}`;
}

/** The keys with a pause or a limit of an operator. Any other key is found by its name: there is no list of all keys. */
export function Keys({ keys, current, ask, find }) {
    const shown = keys.slice(0, MOST_KEYS);
    const known = useJobsOfKeys(shown.map(({ name }) => name));
    const search = (event) => {
        event.preventDefault();
        const name = new FormData(event.target).get("key").trim();
        if (name) {
            go(to(["queues", "keys", name], { find }));
        }
    };
    return html`<${Card}
        title="Concurrency keys"
        aside=${html`<form class="row" role="search" onSubmit=${search}>
            <input class="input find" name="key" aria-label="Find a key" placeholder="Find a key" maxlength="200" autocomplete="off" /><button
                class="btn slim"
            >
                Find
            </button>
        </form>`}
    >
        ${
            keys.length === 0
                ? html`<${Empty} title="No key has a pause or a limit.">
                      Find a key to see which jobs hold its permits, which wait, and to limit it.
                  <//>`
                : html`<table>
                      <caption class="off">
                          Concurrency keys with a pause or a limit
                      </caption>
                      <thead>
                          <tr>
                              <th scope="col">Key</th>
                              <th scope="col">Permits</th>
                              <th scope="col" class="num">Waiting</th>
                              <th scope="col" class="p2">Held by</th>
                              <th scope="col" class="p3">Rate</th>
                              <th scope="col" class="num p2"><span class="off">Actions</span></th>
                          </tr>
                      </thead>
                      <tbody>
                          ${shown.map((target, i) => html`<${Key} key=${target.name} target=${target} data=${known.get(target.name)} current=${current === i} ask=${ask} find=${find} />`)}
                      </tbody>
                  </table>`
        }
        ${keys.length > shown.length && html`<p class="foot">${number(shown.length)} of ${number(keys.length)} keys. Find others by their name.</p>`}
    <//>`;
}

function Key({ target, data, current, ask, find }) {
    const { name, limits, filter } = target;
    const jobs = data && keyJobs(data);
    const href = to(["queues", "keys", name], { find });
    const held = jobs?.holders.length ?? 0;
    return html`<tr class=${current ? "at" : null}>
        <th scope="row">
            <a class="mono wrap" href=${href}><bdi>${name}</bdi></a
            ><${Pause} limits=${limits} />${limits.rate && html`<small class="only-m muted">rate ${limits.rate}</small>`}
        </th>
        <td>
            ${jobs && html`<a href=${to("jobs", { ...filter, state: ["PENDING", "RUNNING"] })}>${jobs.more ? "at least " : ""}${number(held)}${limits.maxRunning ? ` of ${number(limits.maxRunning)}` : ""}</a>`}
            ${!limits.maxRunning && html`<br /><small class="muted">no stored limit</small>`}
        </td>
        <td class="num">
            ${jobs && html`<a href=${to("jobs", { ...filter, state: "PENDING" })}>${jobs.more ? "at least " : ""}${number(jobs.waiting.length)}</a>`}
        </td>
        <td class="p2">${jobs && html`<${Holders} ...${jobs} />`}</td>
        <td class="p3 nowrap"><${RateText} limits=${limits} /></td>
        <td class="num p2">
            ${
                ask
                    ? html`<button
                              class=${limits.paused ? "btn slim" : "btn slim bare"}
                              type="button"
                              aria-label=${`${limits.paused ? "Resume" : "Pause"} ${name}`}
                              onClick=${() => ask({ target, pause: !limits.paused })}
                          >
                              ${limits.paused ? "Resume" : "Pause"}</button
                          ><button class="btn slim bare" type="button" aria-label=${"Limit " + name} onClick=${() => go(href)}>Limit</button>`
                    : html`<a href=${href} aria-label=${"Details of " + name}>Details</a>`
            }
        </td>
    </tr>`;
}
