/** Asks the worker for the layout of a graph. It depends on the jobs and their dependencies only, so a change of a state asks for none. */
import { useEffect, useMemo, useState } from "../../app/html.js";

export const NODE_WIDTH = 156;
export const NODE_HEIGHT = 38;

/**
 * Returns the layout of a graph: the place of each node by its id, the path of each edge, and the size; null until it is there. While a changed graph is
 * laid out, the last layout stays. The second member is true if there will be none.
 */
export function useLayout({ nodes, edges }) {
    const ids = nodes.map((node) => node.id);
    const pairs = edges.map((edge) => [edge.from, edge.to]);
    const key = useMemo(() => JSON.stringify([ids, pairs]), [nodes, edges]);
    const [layout, setLayout] = useState(null);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
        const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
        worker.onmessage = ({ data }) => {
            if (data) {
                setLayout(placed(ids, pairs, data));
            }
            setFailed(!data);
            worker.terminate();
        };
        worker.onerror = () => setFailed(true);
        worker.postMessage({ ids, edges: pairs, width: NODE_WIDTH, height: NODE_HEIGHT });
        return () => worker.terminate();
    }, [key]);
    return [layout, failed];
}

function placed(ids, pairs, { places, bends, width, height }) {
    const placeOf = new Map(ids.map((id, i) => [id, places[i]]));
    return {
        places: placeOf,
        edges: pairs.map(([from, to], i) => ({ from, to, d: curve(placeOf.get(from), bends[i], placeOf.get(to)) })),
        width,
        height,
    };
}

/** A line from the right of one node to the left of another one. It passes the columns between them straight, so that it crosses no node. */
function curve([x1, y1], bends, [x2, y2]) {
    const half = NODE_WIDTH / 2;
    const passed = bends.flatMap(([x, y]) => [
        [x - half, y],
        [x + half, y],
    ]);
    const points = [[x1 + half, y1], ...passed, [x2 - half, y2]];
    return points
        .map(([x, y], i) => {
            if (i === 0) {
                return `M${x.toFixed(1)} ${y.toFixed(1)}`;
            }
            const [lastX, lastY] = points[i - 1];
            const middle = ((lastX + x) / 2).toFixed(1);
            return `C${middle} ${lastY.toFixed(1)} ${middle} ${y.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)}`;
        })
        .join("");
}
