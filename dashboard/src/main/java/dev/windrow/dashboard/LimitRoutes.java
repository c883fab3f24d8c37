package dev.windrow.dashboard;

import dev.windrow.InvalidRequestException;
import dev.windrow.limit.LimitHandle;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.LimitJson;
import org.jspecify.annotations.Nullable;

/** The handlers of the routes of pauses and limits. */
final class LimitRoutes {
    /** The word for the removal of a limit. */
    static final String NONE = "none";

    private LimitRoutes() {}

    static Answer list(Call call) {
        return Answer.of(new JsonObject()
                .list("limits", Visible.limits(call.access(), call.windrow().limits()), LimitJson::limits));
    }

    static Answer keys(Call call) {
        return Answer.of(LimitJson.keys(call.windrow().keys(call.query().integer("limit"))));
    }

    /** Returns the target in the path. Types and keys belong to no queue, so they are not for a sender that sees some queues only. */
    private static LimitTarget target(Call call) {
        String name = call.path().some("name");
        LimitTarget target = switch (call.path().some("kind")) {
            case "queues" -> LimitTarget.queue(name);
            case "types" -> LimitTarget.type(name);
            default -> LimitTarget.key(name);
        };
        boolean visible = target.kind() == LimitTarget.Kind.QUEUE
                ? call.access().sees(name)
                : call.access().queues() == null;
        if (!visible) {
            throw Problem.notFound("%s does not exist".formatted(target));
        }
        return target;
    }

    static Answer show(Call call) {
        return Answer.of(LimitJson.limits(call.windrow().limit(target(call)).limits()));
    }

    static Answer set(Call call) {
        Values body = call.body();
        Object running = body.any("maxRunning");
        String rate = body.text("rate");
        Rate parsed = rate == null || rate.equals(NONE) ? null : rate(rate, body.number("burst"));
        if (parsed == null && body.has("burst")) {
            throw Problem.invalid("burst needs rate");
        }
        if (!body.has("paused") && running == null && rate == null) {
            throw Problem.invalid("paused, maxRunning and rate are missing; allowed: at least one of them");
        }
        LimitHandle handle = call.changing().limit(target(call));
        if (running != null) {
            Limits unused = running instanceof Long max ? handle.limit(max.intValue()) : handle.removeLimit();
            call.changed();
        }
        if (rate != null) {
            Limits unused = parsed == null ? handle.removeRateLimit() : handle.limitRate(parsed);
            call.changed();
        }
        if (body.has("paused")) {
            String reason = body.text("reason");
            Limits unused =
                    !body.flag("paused") ? handle.resume() : reason == null ? handle.pause() : handle.pause(reason);
            call.changed();
        }
        return Answer.of(LimitJson.limits(handle.limits()));
    }

    private static Rate rate(String text, @Nullable Long burst) {
        try {
            Rate rate = Rate.parse(text);
            return burst == null ? rate : rate.withBurst(burst.intValue());
        } catch (InvalidRequestException e) {
            throw Problem.invalid("rate: " + e.getMessage());
        }
    }

    static Answer remove(Call call) {
        LimitHandle handle = call.changing().limit(target(call));
        Limits before = handle.limits();
        if (before.isPaused()) {
            Limits unused = handle.resume();
            call.changed();
        }
        if (before.maxRunning() != null) {
            Limits unused = handle.removeLimit();
            call.changed();
        }
        if (before.rate() != null) {
            Limits unused = handle.removeRateLimit();
            call.changed();
        }
        return Answer.of(LimitJson.limits(handle.limits()));
    }
}
