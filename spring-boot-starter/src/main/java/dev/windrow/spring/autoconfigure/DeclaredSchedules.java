package dev.windrow.spring.autoconfigure;

import static dev.windrow.spring.autoconfigure.InvalidWindrowPropertyException.apply;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.limit.Limits;
import dev.windrow.payload.Metadata;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import dev.windrow.schedule.Schedules;
import dev.windrow.spring.JobSchedule;
import dev.windrow.spring.autoconfigure.WindrowProperties.Schedules.Orphans;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;

/**
 * Saves the schedules of {@link JobSchedule}. Their jobs have the name of the application in their metadata, by which the schedules of an earlier
 * version are known.
 */
final class DeclaredSchedules {
    /** The name in the metadata. */
    static final String APPLICATION = "spring.application.name";

    /** The reason of pauses that this class makes, and ends by itself. */
    static final String NOT_DECLARED = "not declared by the application";

    private static final Logger log = LoggerFactory.getLogger(DeclaredSchedules.class);

    private final Windrow windrow;
    private final ConfigurableListableBeanFactory beans;
    private final String application;
    private final Orphans orphans;

    DeclaredSchedules(Windrow windrow, ConfigurableListableBeanFactory beans, String application, Orphans orphans) {
        this.windrow = windrow;
        this.beans = beans;
        this.application = application;
        this.orphans = orphans;
    }

    void save(Map<HandlerMethod, JobType<Object, Object>> methods) {
        Set<String> names = new HashSet<>();
        methods.forEach((method, type) -> method.schedules().forEach(declared -> {
            String name = text(declared.name());
            if (!names.add(name)) {
                throw new InvalidWindrowPropertyException(
                        "Schedule '%s' of %s is declared twice".formatted(name, method.describe()),
                        "Give each @JobSchedule a name of its own.",
                        null);
            }
            apply("@JobSchedule of " + method.describe(), name, () -> save(name, declared, type));
        }));
        forget(names);
    }

    private void save(String name, JobSchedule declared, JobType<Object, Object> type) {
        Schedules schedules = windrow.schedules();
        String cron = text(declared.cron());
        String every = text(declared.every());
        if (cron.equals(JobSchedule.DISABLED) || every.equals(JobSchedule.DISABLED)) {
            schedules
                    .find(name)
                    .filter(info -> !info.isPaused())
                    .ifPresent(info -> schedules.pause(name, NOT_DECLARED));
            return;
        }
        if (cron.isEmpty() == every.isEmpty()) {
            throw new InvalidRequestException("cron '%s' and every '%s': give one of them".formatted(cron, every));
        }
        Schedule schedule = cron.isEmpty()
                ? Schedule.every(name, interval(every), job(declared, type))
                : Schedule.cron(name, cron, zone(text(declared.zone())), job(declared, type));
        ScheduleInfo saved =
                schedules.save(schedule.withMisfire(declared.misfire()).withOverlap(declared.overlap()));
        Limits.Pause pause = saved.pause();
        if (pause != null && NOT_DECLARED.equals(pause.reason())) {
            schedules.resume(name);
        }
    }

    private JobRequest<?, ?> job(JobSchedule declared, JobType<Object, Object> type) {
        JobRequest<?, ?> job = type.job().withMetadata(Metadata.none().with(APPLICATION, application));
        String queue = text(declared.queue());
        return queue.isEmpty() ? job : job.withQueue(queue);
    }

    private static Duration interval(String text) {
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(
                    "interval '%s' is not allowed: a duration such as 10m or PT10M".formatted(text), e);
        }
    }

    private static ZoneId zone(String text) {
        try {
            return text.isEmpty() ? ZoneOffset.UTC : ZoneId.of(text);
        } catch (DateTimeException e) {
            throw new InvalidRequestException(
                    "zone '%s' is not allowed: a time zone such as Europe/Berlin".formatted(text), e);
        }
    }

    private String text(String given) {
        return HandlerMethod.resolve(beans, given);
    }

    /** Treats the schedules of this application that it has no more. */
    private void forget(Set<String> names) {
        if (orphans == Orphans.KEEP) {
            return;
        }
        Schedules schedules = windrow.schedules();
        for (ScheduleInfo info : schedules.list()) {
            if (names.contains(info.name()) || !isOurs(info)) {
                continue;
            }
            switch (orphans) {
                case REMOVE -> {
                    schedules.remove(info.name());
                    log.info("Schedule {} is removed, because the application no longer declares it", info.name());
                }
                case PAUSE -> {
                    if (!info.isPaused()) {
                        schedules.pause(info.name(), NOT_DECLARED);
                        log.info("Schedule {} is paused, because the application no longer declares it", info.name());
                    }
                }
                default ->
                    log.warn(
                            "Schedule {} continues, and the application no longer declares it. Remove it, or set windrow.schedules.orphans to pause or remove; keep ends this warning",
                            info.name());
            }
        }
    }

    private boolean isOurs(ScheduleInfo info) {
        return info.metadata().equals(Metadata.none().with(APPLICATION, application));
    }
}
