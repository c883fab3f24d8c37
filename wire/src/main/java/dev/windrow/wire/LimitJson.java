package dev.windrow.wire;

import dev.windrow.limit.KeyInfo;
import dev.windrow.limit.KeyList;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;

/** The JSON forms of pauses and limits. */
public final class LimitJson {
    private LimitJson() {}

    /** Returns the pause and the limits of a queue, a type or a key. */
    public static JsonObject limits(Limits limits) {
        LimitTarget target = limits.target();
        Limits.Pause pause = limits.pause();
        Rate rate = limits.rate();
        return target(new JsonObject(), target)
                .put("paused", limits.isPaused())
                .put("pausedAt", pause == null ? null : pause.at())
                .put("pausedBy", pause == null ? null : pause.by())
                .put("reason", pause == null ? null : pause.reason())
                .put("maxRunning", limits.maxRunning())
                .put("rate", rate == null ? null : rate.text())
                .put("burst", rate == null ? null : rate.burst());
    }

    /**
     * Returns a list of concurrency keys: for each the pause and the limits, the numbers of jobs that wait for a permit and have one, and the first
     * holders. A number that is {@code maxCounted} means as many or more.
     */
    public static JsonObject keys(KeyList list) {
        return new JsonObject()
                .list("keys", list.keys(), LimitJson::key)
                .put("found", list.found())
                .put("atLeast", list.atLeast())
                .put("maxCounted", KeyInfo.MAX_COUNTED);
    }

    private static JsonObject key(KeyInfo key) {
        return limits(key.limits())
                .put("permits", key.permits())
                .put("waiting", key.waiting())
                .put("held", key.held())
                .list(
                        "holders",
                        key.holders(),
                        holder -> new JsonObject()
                                .id("id", holder.id())
                                .put("state", holder.state())
                                .put("startedAt", holder.startedAt()));
    }

    /** Adds a queue, a type or a key, under the name of its kind. The other two are null. */
    static JsonObject target(JsonObject fields, LimitTarget target) {
        for (LimitTarget.Kind kind : LimitTarget.Kind.values()) {
            fields.put(JobJson.lower(kind), target.kind() == kind ? target.name() : null);
        }
        return fields;
    }
}
