/** The jobs of a workflow as a graph: the order of the list, the groups by type, and the critical path. */
import { ENDED } from "../../app/parts.js";
import { BY_URGENCY, worst } from "./states.js";

export function ended(node) {
    return ENDED.includes(node.state);
}

/** Returns how long a job ran, or has run until now; null if it did not start. Attempts before the last one, and the waits between, do not count. */
export function ran(node, now) {
    if (!node.startedAt || (!node.finishedAt && node.state !== "RUNNING")) {
        return null;
    }
    return Math.max(0, (node.finishedAt ? Date.parse(node.finishedAt) : now) - Date.parse(node.startedAt));
}

/** Leaves out the edges from jobs that are not in the answer: deleted ones, and those of other workflows or hidden queues. */
export function known({ nodes, edges }) {
    const ids = new Set(nodes.map((node) => node.id));
    return { nodes, edges: edges.filter((edge) => ids.has(edge.from) && ids.has(edge.to)) };
}

/** Returns the jobs by urgency: failed first. Within a state the oldest is first. */
export function byUrgency(nodes) {
    const rank = Object.fromEntries(BY_URGENCY.map((state, i) => [state, i]));
    return nodes
        .map((node, i) => [node, i])
        .sort(([a, i], [b, j]) => rank[a.state] - rank[b.state] || i - j)
        .map(([node]) => node);
}

/** Returns one node for each type, with the number of its jobs in each state. Edges between jobs of one type vanish. */
export function byType({ nodes, edges }) {
    const groups = new Map();
    const typeOf = new Map();
    for (const node of nodes) {
        typeOf.set(node.id, node.type);
        const group = groups.get(node.type) ?? { id: "type " + node.type, type: node.type, jobs: 0, states: {} };
        group.jobs++;
        group.states[node.state] = (group.states[node.state] ?? 0) + 1;
        groups.set(node.type, group);
    }
    const links = new Map();
    for (const edge of edges) {
        const [from, to] = ["type " + typeOf.get(edge.from), "type " + typeOf.get(edge.to)];
        if (from !== to) {
            links.set(JSON.stringify([from, to]), { from, to });
        }
    }
    return { nodes: [...groups.values()].map((group) => ({ ...group, state: worst(group.states) })), edges: [...links.values()] };
}

/** Returns the number of parents of each job that are not completed. */
export function openParents({ nodes, edges }) {
    const completed = new Set(nodes.filter((node) => node.state === "COMPLETED").map((node) => node.id));
    const open = new Map();
    for (const { from, to } of edges) {
        if (!completed.has(from)) {
            open.set(to, (open.get(to) ?? 0) + 1);
        }
    }
    return open;
}

/** Parents before children. A job of a cycle, which no store makes, comes last. */
function inOrder(nodes, parents, children) {
    const left = new Map(nodes.map((node) => [node.id, parents.get(node.id)?.length ?? 0]));
    const ready = nodes.filter((node) => left.get(node.id) === 0);
    const nodeOf = new Map(nodes.map((node) => [node.id, node]));
    for (let i = 0; i < ready.length; i++) {
        for (const child of children.get(ready[i].id) ?? []) {
            left.set(child, left.get(child) - 1);
            if (left.get(child) === 0) {
                ready.push(nodeOf.get(child));
            }
        }
    }
    return ready;
}

/** Returns the ids at one end of the edges by the id at the other one. */
function joined(edges, key, value) {
    const lists = new Map();
    for (const edge of edges) {
        const list = lists.get(key(edge));
        if (list) {
            list.push(value(edge));
        } else {
            lists.set(key(edge), [value(edge)]);
        }
    }
    return lists;
}

const parentOf = (edge) => edge.from;
const childOf = (edge) => edge.to;

/** Expected running times: the mean of the completed jobs of the type, else of all completed jobs. */
function expectations(nodes, now) {
    const sums = new Map();
    const add = (key, millis) => {
        const [sum, n] = sums.get(key) ?? [0, 0];
        sums.set(key, [sum + millis, n + 1]);
    };
    for (const node of nodes) {
        const millis = node.state === "COMPLETED" ? ran(node, now) : null;
        if (millis !== null) {
            add(node.type, millis);
            add(null, millis);
        }
    }
    return (type) => {
        const [sum, n] = sums.get(type) ?? sums.get(null) ?? [0, 1];
        return sum / n;
    };
}

/** Returns true if jobs are unfinished, but none runs or waits for a worker or a time: they wait for failed jobs, or for an event. */
export function isStalled(nodes) {
    return !nodes.every(ended) && nodes.every((node) => ended(node) || node.state === "BLOCKED");
}

/** Returns the time up to which the jobs are shown: now, or the last end if no job can run. */
export function shownUntil(nodes, now) {
    if (!nodes.every(ended) && !isStalled(nodes)) {
        return now;
    }
    return Math.max(...nodes.map((node) => Date.parse(node.finishedAt ?? node.createdAt)));
}

/**
 * Returns when each job began and ended, in milliseconds since the epoch, and the critical path: the jobs that decided when the last one ended. The
 * times of jobs that have not run are estimates, by the completed jobs of the same type.
 */
export function timeLine({ nodes, edges }, now) {
    const parents = joined(edges, childOf, parentOf);
    const expected = expectations(nodes, now);
    const spans = new Map();
    let last = null;
    for (const node of inOrder(nodes, parents, joined(edges, parentOf, childOf))) {
        let [from, before] = [now, null];
        let latest = -Infinity;
        for (const id of parents.get(node.id) ?? []) {
            const end = spans.get(id)?.to ?? -Infinity;
            if (end > latest) {
                [latest, before] = [end, id];
            }
        }
        const millis = ran(node, now);
        const estimated = millis === null && !ended(node);
        let to;
        if (millis !== null) {
            from = Date.parse(node.startedAt);
            to = ended(node) ? from + millis : Math.max(now, from + expected(node.type));
        } else if (ended(node)) {
            from = to = Date.parse(node.finishedAt ?? node.createdAt); // cancelled before it started
        } else {
            from = Math.max(now, latest, node.state === "SCHEDULED" ? Date.parse(node.scheduledAt) : 0);
            to = from + expected(node.type);
        }
        spans.set(node.id, { from, to, ran: millis, estimated, before });
        if (last === null || to > spans.get(last).to) {
            last = node.id;
        }
    }
    const critical = [];
    for (let id = last; id; id = spans.get(id).before) {
        critical.unshift(id);
    }
    const begin = Math.min(...[...spans.values()].map((span) => span.from));
    const started = nodes.some((node) => ran(node, now) !== null);
    return { spans, critical, begin, end: last === null ? begin : spans.get(last).to, started };
}
