package dev.windrow.dashboard;

import dev.windrow.JobState;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.Retention;
import dev.windrow.retention.RetentionRules;
import dev.windrow.wire.RetentionJson;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

/** The handlers of the routes of retention. */
final class RetentionRoutes {
    static final String FOREVER = "forever";

    private RetentionRoutes() {}

    static Answer rules(Call call) {
        return Answer.of(RetentionJson.rules(call.windrow().retention().rules()));
    }

    static Answer set(Call call) {
        Retention retention = call.changing().retention();
        JobState state = state(call.body());
        String type = call.body().text("type");
        Object keep = Objects.requireNonNull(call.body().any("keep"));
        RetentionRules rules = keep instanceof Duration time
                ? type == null ? retention.keep(state, time) : retention.keep(state, type, time)
                : type == null ? retention.keepForever(state) : retention.keepForever(state, type);
        return Answer.of(RetentionJson.rules(rules));
    }

    static Answer reset(Call call) {
        Retention retention = call.changing().retention();
        JobState state = state(call.query());
        String type = call.query().text("type");
        return Answer.of(RetentionJson.rules(type == null ? retention.reset(state) : retention.reset(state, type)));
    }

    private static JobState state(Values values) {
        return JobState.valueOf(values.some("state"));
    }

    static Answer cleanup(Call call) {
        Values body = call.body();
        Cleanup cleanup = Cleanup.BY_THE_RULES.withProgress(sofar -> !call.isLate());
        for (JobState state : JobState.values()) {
            Object age = body.any(state.name().toLowerCase(Locale.ROOT));
            if (age != null) {
                cleanup = age instanceof Duration time ? cleanup.withAge(state, time) : cleanup.withoutState(state);
            }
        }
        cleanup = body.<Cleanup, String>given(cleanup, "type", Cleanup::withType);
        cleanup = body.<Cleanup, Long>given(cleanup, "max", Cleanup::withMaxJobs);
        return Answer.of(
                body.flag("dryRun")
                        ? RetentionJson.preview(call.windrow().retention().preview(cleanup))
                        : RetentionJson.cleanup(call.changing().retention().cleanup(cleanup)));
    }
}
