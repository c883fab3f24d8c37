package dev.windrow.testkit;

import dev.windrow.Durations;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.assertj.core.presentation.StandardRepresentation;
import org.jspecify.annotations.Nullable;

/** The stories of jobs for the messages of failures: their states, attempts, events and errors. */
final class Stories {
    /** The most jobs of a message, and the most attempts, steps and log lines of a job. */
    private static final int MOST = 10;
    /** The most characters of a payload or a text. */
    private static final int LONGEST = 300;
    /** The most places in the code that the story has of an exception. */
    private static final int PLACES = 3;

    private final Windrow windrow;
    private final Function<JobInfo, String> why;

    /**
     * Creates stories.
     *
     * @param why returns why a job does not run
     */
    Stories(Windrow windrow, Function<JobInfo, String> why) {
        this.windrow = windrow;
        this.why = why;
    }

    /** Returns a value as AssertJ writes it. Durations are written as Windrow does, and collections in one line. */
    static String text(@Nullable Object value) {
        if (value instanceof Duration duration) {
            return Durations.text(duration);
        }
        if (value instanceof Collection<?> collection) {
            return collection.stream().map(Stories::text).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Number) {
            return value.toString();
        }
        return value == null ? "nothing" : StandardRepresentation.STANDARD_REPRESENTATION.toStringOf(value);
    }

    /** Returns the text of an exception, with the code of a {@link JobFailure}. */
    static String thrown(Throwable thrown) {
        return thrown instanceof JobFailure failure
                ? "%s %s: %s".formatted(JobFailure.class.getSimpleName(), failure.code(), failure.getMessage())
                : thrown.toString();
    }

    /** Returns {@code job 7 (invoice.send)}. */
    static String name(JobInfo job) {
        return "job %d (%s)".formatted(job.id(), job.type());
    }

    /** Returns the stories of jobs, the first ones in full. */
    String of(List<Long> jobs) {
        List<String> stories =
                new ArrayList<>(jobs.stream().limit(MOST).map(this::of).toList());
        if (jobs.size() > MOST) {
            stories.add("and %d more jobs".formatted(jobs.size() - MOST));
        }
        return String.join("\n", stories);
    }

    /** True if the message of a failure has the story of a job. */
    static boolean areIn(Throwable failure) {
        return String.valueOf(failure.getMessage()).contains("\n    events: ");
    }

    /** Returns the story of a job. */
    String of(long id) {
        JobHistory history;
        try {
            history = windrow.job(id).history();
        } catch (JobNotFoundException e) {
            return "job %d does not exist".formatted(id);
        }
        JobInfo job = history.job();
        StringBuilder text = new StringBuilder("%s %s, %d of %d attempts used, queue %s"
                .formatted(name(job), job.state(), used(history), job.maxAttempts(), job.queue()));
        line(text, "input", shortened(history.payload()));
        line(text, "result", shortened(history.result()));
        if (job.state() == JobState.SCHEDULED) {
            line(text, "due", job.scheduledAt().toString());
        }
        last(text, history.attempts(), attempt -> "attempt " + attempt.attempt() + ": " + attempt(attempt));
        last(text, history.steps(), step -> "step " + step.name() + ": " + step.state());
        last(text, history.log(), logged -> "log: " + logged.level() + " " + logged.message());
        line(
                text,
                "events",
                history.events().stream().map(event -> event.event().name()).collect(Collectors.joining(", ")));
        if (!job.state().isFinished()) {
            line(text, "why", why.apply(job));
        }
        String trace = history.stackTrace();
        if (trace != null) {
            shortened(trace).forEach(each -> text.append("\n    ").append(each));
        }
        return text.toString();
    }

    /** Returns the messages of a stack trace, each with its first places. */
    private static List<String> shortened(String trace) {
        List<String> lines = new ArrayList<>();
        int places = 0;
        for (String line : trace.lines().map(String::strip).toList()) {
            if (!line.startsWith("at ") && !line.startsWith("... ")) {
                places = 0;
                lines.add(line);
            } else if (places++ < PLACES) {
                lines.add("    " + line);
            }
        }
        return lines;
    }

    private static long used(JobHistory history) {
        return history.attempts().stream()
                .filter(attempt -> attempt.run() == history.job().run())
                .filter(attempt -> attempt.outcome() != null
                        && Objects.requireNonNull(attempt.outcome()).countsAsAttempt())
                .count();
    }

    private static String attempt(JobHistory.Attempt attempt) {
        String outcome = attempt.outcome() == null ? "runs" : attempt.outcome().name();
        String code = attempt.errorCode() == null ? "" : " " + attempt.errorCode();
        String detail = attempt.errorDetail() == null ? "" : ": " + attempt.errorDetail();
        String at = attempt.startedAt() == null ? "" : ", at " + attempt.startedAt();
        return outcome + code + detail + at;
    }

    /** Adds the last ones of many lines. */
    private static <T> void last(StringBuilder text, List<T> values, Function<T, String> line) {
        int left = Math.max(0, values.size() - MOST);
        if (left > 0) {
            text.append("\n    ... %d earlier ones".formatted(left));
        }
        values.stream().skip(left).forEach(value -> text.append("\n    ").append(line.apply(value)));
    }

    private static void line(StringBuilder text, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            text.append("\n    ").append(name).append(": ").append(value);
        }
    }

    private static @Nullable String shortened(@Nullable Json json) {
        String text = json == null ? null : json.text();
        return text == null || text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }
}
