package dev.windrow.engine.limit;

import dev.windrow.InvalidRequestException;
import dev.windrow.engine.Answers;
import dev.windrow.engine.NameRule;
import dev.windrow.limit.LimitHandle;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.store.Author;
import dev.windrow.store.OpenStore;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import java.util.Objects;

/** The pause and the limits of one target. */
public record LimitVerbs(OpenStore store, Author author, LimitTarget target) implements LimitHandle {
    private static final int MAX_RUNNING = 1_000_000;

    @Override
    public Limits pause() {
        return change(LimitChange.pause(target, author.actor(), null));
    }

    @Override
    public Limits pause(String reason) {
        return change(LimitChange.pause(target, author.actor(), NameRule.reason(reason)));
    }

    @Override
    public Limits resume() {
        return change(LimitChange.resume(target, author.actor()));
    }

    @Override
    public Limits limit(int maxRunning) {
        if (maxRunning < 1 || maxRunning > MAX_RUNNING) {
            throw new InvalidRequestException("limit %d of %s is not allowed: 1 to %d; to start none, pause it"
                    .formatted(maxRunning, target, MAX_RUNNING));
        }
        return change(LimitChange.limit(target, author.actor(), maxRunning));
    }

    @Override
    public Limits removeLimit() {
        return change(LimitChange.limit(target, author.actor(), null));
    }

    @Override
    public Limits limitRate(Rate rate) {
        return change(LimitChange.limitRate(target, author.actor(), Objects.requireNonNull(rate, "rate")));
    }

    @Override
    public Limits removeRateLimit() {
        return change(LimitChange.limitRate(target, author.actor(), null));
    }

    @Override
    public Limits limits() {
        return store.controls().stream()
                .filter(limits -> limits.target().equals(target))
                .findFirst()
                .orElseGet(() -> new Limits(target, null, null, null));
    }

    private Limits change(LimitChange change) {
        LimitChange explained = change.reason() == null ? change.withReason(author.reason()) : change;
        return Answers.get(KeyLimits.change(store, explained), "changing the limits of " + target);
    }
}
