/** Orders the items within the columns of a graph so that few edges cross: each goes to the mean place of its neighbours, from left to right and back. */
const SWEEPS = 10;

/**
 * Returns the columns in a good order.
 *
 * @param ranks the column of each item
 * @param left the neighbours of each item in the column before, and right those in the column after it
 */
export function order(ranks, left, right) {
    const place = new Float64Array(ranks.length);
    const settle = (column) => column.forEach((i, at) => (place[i] = at));
    const columns = byDepth(ranks, right);
    columns.forEach(settle);
    let best = columns.map((column) => [...column]);
    let fewest = crossings(columns, right, place);
    for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
        const [sides, sequence] = sweep % 2 === 0 ? [left, columns] : [right, columns.toReversed()];
        for (const column of sequence) {
            const means = new Map(column.map((i) => [i, mean(sides[i], place) ?? place[i]]));
            column.sort((a, b) => means.get(a) - means.get(b));
            settle(column);
        }
        const found = crossings(columns, right, place);
        if (found < fewest) {
            fewest = found;
            best = columns.map((column) => [...column]);
        }
    }
    return best;
}

/** The columns, each in the order in which a walk along the edges reaches its items, so that what belongs together begins together. */
function byDepth(ranks, right) {
    const columns = [];
    const seen = new Set();
    const byRank = ranks.map((rank, i) => i).sort((a, b) => ranks[a] - ranks[b] || a - b);
    for (const start of byRank) {
        const stack = [start];
        while (stack.length > 0) {
            const i = stack.pop();
            if (!seen.has(i)) {
                seen.add(i);
                (columns[ranks[i]] ??= []).push(i);
                stack.push(...right[i].toReversed());
            }
        }
    }
    return columns;
}

/** Returns the mean of the values of some items; null without items. */
export function mean(items, values) {
    return items.length === 0 ? null : items.reduce((sum, i) => sum + values[i], 0) / items.length;
}

/** The number of crossings between each two columns: for each edge, the edges from above it that end below it, by a tree of partial sums. */
function crossings(columns, right, place) {
    let total = 0;
    for (let c = 0; c + 1 < columns.length; c++) {
        const size = columns[c + 1].length;
        const sums = new Int32Array(size + 1);
        let edges = 0;
        for (const i of columns[c]) {
            const ends = right[i].map((j) => place[j]);
            for (const end of ends) {
                let upTo = 0;
                for (let k = end + 1; k > 0; k -= k & -k) {
                    upTo += sums[k];
                }
                total += edges - upTo;
            }
            for (const end of ends) {
                for (let k = end + 1; k <= size; k += k & -k) {
                    sums[k]++;
                }
            }
            edges += ends.length;
        }
    }
    return total;
}
