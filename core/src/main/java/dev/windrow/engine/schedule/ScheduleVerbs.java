package dev.windrow.engine.schedule;

import dev.windrow.JobRef;
import dev.windrow.engine.NameRule;
import dev.windrow.engine.job.Reads;
import dev.windrow.engine.job.Verbs;
import dev.windrow.engine.payload.Payloads;
import dev.windrow.payload.Json;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.schedule.ScheduleNotFoundException;
import dev.windrow.schedule.ScheduleRun;
import dev.windrow.schedule.Schedules;
import dev.windrow.store.Author;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.schedule.ScheduleChanged;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The verbs of schedules, in transactions of the store or in the caller's transaction. */
public record ScheduleVerbs(Verbs.Target target, Reads reads, Author author) implements Schedules {
    @Override
    public ScheduleInfo save(Schedule schedule) {
        Payloads payloads = reads.payloads();
        Duration every = schedule.every();
        Instant startsAt = schedule.startsAt();
        ScheduleRow.Definition definition = new ScheduleRow.Definition(
                schedule.name(),
                Verbs.row(
                        schedule.job(),
                        payloads.inline(Verbs.encode(payloads, schedule.job()), schedule.name()),
                        author.actor()),
                new Timing(
                        schedule.cron() == null ? null : schedule.cron().toString(),
                        schedule.zone() == null ? null : schedule.zone().getId(),
                        every == null ? null : every.toMillis(),
                        startsAt == null ? null : startsAt.toEpochMilli()),
                schedule.misfire(),
                schedule.overlap());
        return shown(new ScheduleChange(
                ScheduleChange.Verb.SCHEDULE, schedule.name(), author.actor(), definition, author.reason()));
    }

    @Override
    public ScheduleInfo pause(String name) {
        return shown(change(ScheduleChange.Verb.PAUSE, name, author.reason()));
    }

    @Override
    public ScheduleInfo pause(String name, String reason) {
        return shown(change(ScheduleChange.Verb.PAUSE, name, NameRule.reason(reason)));
    }

    @Override
    public ScheduleInfo resume(String name) {
        return shown(change(ScheduleChange.Verb.RESUME, name, author.reason()));
    }

    @Override
    public void remove(String name) {
        ScheduleChanged unused = target.schedule(change(ScheduleChange.Verb.REMOVE, name, author.reason()));
    }

    @Override
    public JobRef<@Nullable Json> run(String name) {
        ScheduleChanged changed = target.schedule(change(ScheduleChange.Verb.RUN, name, author.reason()));
        return JobRef.raw(Objects.requireNonNull(changed.job(), "a schedule that runs makes a job"));
    }

    private ScheduleChange change(ScheduleChange.Verb verb, String name, @Nullable String reason) {
        return new ScheduleChange(verb, name, author.actor(), null, reason);
    }

    private ScheduleInfo shown(ScheduleChange change) {
        return ScheduleInfos.of(target.schedule(change).schedule());
    }

    @Override
    public Optional<ScheduleInfo> find(String name) {
        return reads.store().schedule(name).map(ScheduleInfos::of);
    }

    @Override
    public List<ScheduleInfo> list() {
        return reads.store().schedules().stream().map(ScheduleInfos::of).toList();
    }

    @Override
    public List<ScheduleRun> runs(String name, int limit) {
        int checked = NameRule.limit(limit);
        if (reads.store().schedule(name).isEmpty()) {
            throw new ScheduleNotFoundException(name);
        }
        return reads.store().scheduleRuns(name, checked);
    }
}
