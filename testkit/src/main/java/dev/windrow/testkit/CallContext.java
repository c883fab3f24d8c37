package dev.windrow.testkit;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The job around a {@linkplain WindrowTest#call call of a handler alone}: its type, its options and the number of the attempt. Immutable.
 *
 * @param <I> the type of the input
 * @param <O> the type of the result
 */
@CheckReturnValue
public final class CallContext<I extends @Nullable Object, O extends @Nullable Object> {
    private final JobType<I, O> type;
    private final int attempt;
    private final UnaryOperator<JobRequest<I, O>> options;

    private CallContext(JobType<I, O> type, int attempt, UnaryOperator<JobRequest<I, O>> options) {
        this.type = type;
        this.attempt = attempt;
        this.options = options;
    }

    /** Returns the first attempt of a job of a type, with the defaults of the type. */
    public static <I extends @Nullable Object, O extends @Nullable Object> CallContext<I, O> of(JobType<I, O> type) {
        return new CallContext<>(Objects.requireNonNull(type, "type"), 1, UnaryOperator.identity());
    }

    /**
     * Returns this context in a later attempt, after earlier ones that have failed.
     *
     * @param attempt 1 to the maximum number of attempts of the job, default 1
     * @throws InvalidRequestException if the number is less than 1
     */
    public CallContext<I, O> withAttempt(int attempt) {
        if (attempt < 1) {
            throw new InvalidRequestException("attempt %d is not allowed: 1 or more".formatted(attempt));
        }
        return new CallContext<>(type, attempt, options);
    }

    /**
     * Returns this context with further options of the job, such as its queue, its metadata or its parents. The priority is ignored.
     *
     * @param options returns the given request with more options
     */
    public CallContext<I, O> withOptions(UnaryOperator<JobRequest<I, O>> options) {
        UnaryOperator<JobRequest<I, O>> before = this.options;
        Objects.requireNonNull(options, "options");
        return new CallContext<>(type, attempt, request -> options.apply(before.apply(request)));
    }

    JobType<I, O> type() {
        return type;
    }

    int attempt() {
        return attempt;
    }

    JobRequest<I, O> request(I input) {
        return options.apply(type.job(input));
    }
}
