/** The one fact that stands beside a job: why it does not run, or how long it ran. */
import { ago, count, duration } from "../../app/format.js";
import { useNow } from "../../app/parts.js";
import { ran } from "./model.js";

/** A component, because the time of a running or waiting job grows each second. The form makes the text fit its place. */
export function Fact({ node, open, form }) {
    const now = useNow(node.state === "RUNNING" || node.state === "SCHEDULED");
    return form(fact(node, open, now));
}

function fact(node, open, now) {
    switch (node.state) {
        case "FAILED":
            return node.errorCode ?? "failed";
        case "RUNNING":
            return "runs " + duration(Math.max(1000, ran(node, now) ?? 0));
        case "SCHEDULED":
            return (node.attempt > 0 ? "retry " : "due ") + (Date.parse(node.scheduledAt) > now ? ago(node.scheduledAt, now) : "now");
        case "PENDING":
            return "ready";
        case "BLOCKED":
            return open ? "waits for " + count(open, "parent") : "waits";
        case "CANCELLED":
            return "cancelled";
        default:
            return duration(ran(node, now));
    }
}
