/** Concurrency keys: their permits, the jobs that hold and that wait for one. */
import { address } from "../../app/api.js";
import { number } from "../../app/format.js";
import { html } from "../../app/html.js";
import { useLive } from "../../app/live.js";
import { Card, Empty, Loaded, Table, Time } from "../../app/parts.js";
import { go, to } from "../../app/route.js";
import { Pause, RateText } from "./parts.js";
import { target } from "./targets.js";

const MOST_JOBS = 100;
const MOST_KEYS = 50;
/** The server counts the waiting jobs of up to a thousand keys. */
const SECONDS = 5;

/** Reads the keys with waiting jobs, a pause or a limit. */
export function useKeyList(shown) {
    return useLive(shown ? address(["controls", "keys"], { limit: MOST_KEYS }) : null, { seconds: SECONDS });
}

/** Returns the keys of the list as targets, with the texts of their counts. */
export function keyTargets({ keys, maxCounted }) {
    const counted = (jobs) => (jobs >= maxCounted ? "at least " : "") + number(jobs);
    return keys.map((limits) => ({
        ...target("keys", limits.key),
        limits,
        permits: limits.permits,
        waiting: counted(limits.waiting),
        held: counted(limits.held),
        holders: limits.holders,
        others: limits.held > limits.holders.length ? counted(limits.held - limits.holders.length) : null,
    }));
}

/**
 * Reads what the list says, for a key that is not in it: a key without waiting jobs, a pause or a limit, or one of many. A ready job that does not
 * wait for a permit has one, and waits for a worker. A key with more jobs is counted among its oldest ones.
 */
export function useKeyJobs(key) {
    const query = { concurrencyKey: key, state: ["PENDING", "RUNNING"], order: "oldest", limit: MOST_JOBS };
    const live = useLive(key === null ? null : address("jobs", query));
    return { ...live, data: live.data && keyJobs(live.data) };
}

function keyJobs({ jobs, next }) {
    const waiting = jobs.filter(({ waitsForPermit }) => waitsForPermit).length;
    const holders = jobs.filter(({ waitsForPermit }) => !waitsForPermit);
    const shown = holders.slice(0, 5);
    const prefix = next === null ? "" : "at least ";
    return {
        waiting: prefix + number(waiting),
        holders: shown,
        others: holders.length > shown.length ? prefix + number(holders.length - shown.length) : null,
    };
}

export function Holders({ holders, others }) {
    return holders.length === 0
        ? html`<span class="muted">no job</span>`
        : html`${holders.map(
              ({ id, state, startedAt }, i) =>
                  html`${i > 0 && ", "}<a href=${to(["jobs", id])}>${id}</a>${" "}(<${HolderState} state=${state} startedAt=${startedAt} />)`,
          )}${others && ` and ${others} others`}`;
}

function HolderState({ state, startedAt }) {
    if (state === "RUNNING" && startedAt) {
        return html`started <${Time} at=${startedAt} relative />`;
    }
    return { RUNNING: "claimed", PENDING: "ready", SCHEDULED: "waits for its retry" }[state] ?? "waits";
}

/** The keys with waiting jobs, a pause or a limit, most waiting jobs first. Any other key is found by its name. */
export function Keys({ live, keys, current, ask, finds }) {
    const search = (event) => {
        event.preventDefault();
        const name = new FormData(event.target).get("key").trim();
        if (name) {
            go(to(["queues", "keys", name], finds));
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
        <${Loaded} live=${live}>
            ${({ found, atLeast }) =>
                keys.length === 0
                    ? html`<${Empty} title="No key has waiting jobs, a pause or a limit.">
                          Find a key to see which jobs hold its permits, and to limit it.
                      <//>`
                    : html`<${Table}
                              caption="Concurrency keys with waiting jobs, a pause or a limit"
                              columns=${["Key", ["Waiting", "num"], ["Permits", "num"], ["Held by", "p2"], ["Rate", "num p3"], [html`<span class="off">Actions</span>`, "num p2"]]}
                          >
                              ${keys.map((one, i) => html`<${Key} key=${one.name} target=${one} current=${current === i} ask=${ask} finds=${finds} />`)}
                          <//>
                          ${
                              found > keys.length &&
                              html`<p class="foot">
                                  ${number(keys.length)} of ${atLeast ? "at least " : ""}${number(found)} keys, most waiting jobs first. Find others
                                  by their names.
                              </p>`
                          }`}
        <//>
    <//>`;
}

function Key({ target, current, ask, finds }) {
    const { name, limits, filter, permits, waiting, held } = target;
    const href = to(["queues", "keys", name], finds);
    return html`<tr class=${current ? "at" : null}>
        <th scope="row">
            <a class="mono wrap" href=${href}><bdi>${name}</bdi></a
            ><${Pause} limits=${limits} />${limits.rate && html`<small class="only-m muted">rate ${limits.rate}</small>`}
        </th>
        <td class="num"><a href=${to("jobs", { ...filter, state: "PENDING" })}>${waiting}</a></td>
        <td class="num">
            <a href=${to("jobs", { ...filter, state: ["PENDING", "RUNNING"] })}>${held}${permits !== null && ` of ${number(permits)}`}</a>
            ${permits === null && html`<br /><small class="muted">no limit</small>`}
        </td>
        <td class="p2"><${Holders} ...${target} /></td>
        <td class="num p3"><${RateText} limits=${limits} /></td>
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
