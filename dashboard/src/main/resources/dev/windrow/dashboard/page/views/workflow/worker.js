/** Lays out a graph beside the page, which stays responsive: from nodes of one size to their places, and to the places where edges pass columns. */
import { columnLayout } from "./columns.js";

/** The layout of dagre takes too long for graphs of more nodes than this. */
const DAGRE_NODES = 150;

/** Answers null if there is no layout, for example because the server has other files since an update. */
self.onmessage = ({ data }) =>
    layoutOf(data).then(
        (layout) => self.postMessage(layout),
        () => self.postMessage(null),
    );

async function layoutOf({ ids, edges, width, height }) {
    if (ids.length <= DAGRE_NODES) {
        return byDagre(ids, edges, width, height);
    }
    const indexOf = new Map(ids.map((id, i) => [id, i]));
    const pairs = edges.map((edge) => edge.map((id) => indexOf.get(id)));
    return columnLayout(ids.length, pairs, width, height);
}

async function byDagre(ids, edges, width, height) {
    const { Graph, layout } = await import("../../vendor/dagre.js");
    const graph = new Graph();
    graph.setGraph({ rankdir: "LR", nodesep: 8, edgesep: 4, ranksep: 40, marginx: 12, marginy: 12 });
    graph.setDefaultEdgeLabel(() => ({}));
    ids.forEach((id) => graph.setNode(id, { width, height }));
    edges.forEach(([from, to]) => graph.setEdge(from, to));
    layout(graph);
    return {
        places: ids.map((id) => [graph.node(id).x, graph.node(id).y]),
        bends: edges.map(([from, to]) => bendsOf(graph.edge(from, to).points)),
        width: graph.graph().width,
        height: graph.graph().height,
    };
}

/** The points of an edge are its ends, and between them in turn the space between two columns of nodes, and a column that it passes. */
function bendsOf(points) {
    return points
        .slice(1, -1)
        .filter((point, i) => i % 2 === 1)
        .map(({ x, y }) => [x, y]);
}
