/**
 * The layout of a large graph: columns from left to right, each node one column behind its last parent. It takes milliseconds where dagre, which draws
 * small graphs a little better, takes seconds.
 */
import { mean, order } from "./order.js";

const COLUMN_GAP = 40;
const NODE_GAP = 8;
const MARGIN = 12;
const SWEEPS = 8;
/** The height of the free way of an edge through a column. */
const WAY = 4;

/**
 * Returns the layout, in the form of the answer of the worker.
 *
 * @param count the number of nodes
 * @param edges pairs of the indexes of nodes
 */
export function columnLayout(count, edges, width, height) {
    const ranks = ranksOf(count, edges);
    const left = Array.from({ length: count }, () => []);
    const right = Array.from({ length: count }, () => []);
    const join = (from, to) => {
        right[from].push(to);
        left[to].push(from);
    };
    // An edge that passes columns has a place in each of them. Edges of one parent share these places.
    const ways = new Map();
    const passed = edges.map(([from, to]) => {
        const through = [];
        let last = from;
        for (let rank = ranks[from] + 1; rank < ranks[to]; rank++) {
            const key = from + " " + rank;
            if (!ways.has(key)) {
                ways.set(key, ranks.length);
                ranks.push(rank);
                left.push([]);
                right.push([]);
                join(last, ways.get(key));
            }
            last = ways.get(key);
            through.push(last);
        }
        if (ranks[from] < ranks[to]) {
            join(last, to);
        }
        return through;
    });
    const columns = order(ranks, left, right);
    const sizes = ranks.map((rank, i) => (i < count ? height : WAY));
    const y = heights(columns, sizes, left, right);
    const top = y.reduce((least, value, i) => Math.min(least, value - sizes[i] / 2), Infinity);
    const bottom = y.reduce((most, value, i) => Math.max(most, value + sizes[i] / 2), -Infinity);
    const place = (i) => [MARGIN + width / 2 + ranks[i] * (width + COLUMN_GAP), MARGIN + y[i] - top];
    return {
        places: Array.from({ length: count }, (_, i) => place(i)),
        bends: passed.map((through) => through.map(place)),
        width: 2 * MARGIN + columns.length * (width + COLUMN_GAP) - COLUMN_GAP,
        height: 2 * MARGIN + bottom - top,
    };
}

/** Returns the column of each node. Groups may form a cycle; it is cut at its first node. */
function ranksOf(count, edges) {
    const ranks = new Array(count).fill(0);
    const children = Array.from({ length: count }, () => []);
    const open = new Int32Array(count);
    edges.forEach(([from, to]) => {
        children[from].push(to);
        open[to]++;
    });
    const done = new Array(count).fill(false);
    const ready = ranks.map((rank, i) => i).filter((i) => open[i] === 0);
    let first = 0;
    for (let n = 0; n < count; n++) {
        if (n === ready.length) {
            while (done[first] || ready.includes(first, n)) {
                first++;
            }
            ready.push(first);
        }
        const node = ready[n];
        done[node] = true;
        for (const child of children[node]) {
            if (!done[child]) {
                ranks[child] = Math.max(ranks[child], ranks[node] + 1);
                if (--open[child] === 0) {
                    ready.push(child);
                }
            }
        }
    }
    return ranks;
}

/** Returns the height of each item: as near as possible to its neighbours, in the order of its column. */
function heights(columns, sizes, left, right) {
    const y = new Array(sizes.length).fill(0);
    for (const column of columns) {
        const offsets = offsetsOf(column, sizes);
        column.forEach((i, at) => (y[i] = offsets[at] - offsets.at(-1) / 2));
    }
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        const [sides, sequence] = sweep % 2 === 0 ? [left, columns] : [right, columns.toReversed()];
        for (const column of sequence) {
            const offsets = offsetsOf(column, sizes);
            const wanted = column.map((i, at) => (mean(sides[i], y) ?? y[i]) - offsets[at]);
            ascending(wanted).forEach((value, at) => (y[column[at]] = value + offsets[at]));
        }
    }
    return y;
}

/** The least distance of each item of a column from the first one. */
function offsetsOf(column, sizes) {
    let at = 0;
    return column.map((i, n) => (n === 0 ? 0 : (at += (sizes[column[n - 1]] + sizes[i]) / 2 + NODE_GAP)));
}

/** Returns the ascending values that are nearest to the given ones: runs that descend become their mean. */
function ascending(values) {
    const runs = [];
    for (const value of values) {
        let run = { sum: value, n: 1 };
        while (runs.length > 0 && runs.at(-1).sum / runs.at(-1).n >= run.sum / run.n) {
            const before = runs.pop();
            run = { sum: before.sum + run.sum, n: before.n + run.n };
        }
        runs.push(run);
    }
    return runs.flatMap(({ sum, n }) => new Array(n).fill(sum / n));
}
