package dev.windrow.dashboard;

import dev.windrow.payload.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The values of parameters or fields, by name, as their {@link Field}s have read them. */
final class Values {
    static final Values NONE = new Values(Map.of());

    private final Map<String, Object> values;

    Values(Map<String, Object> values) {
        this.values = values;
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    /** Returns the names of the values, those of defaults included. */
    Set<String> names() {
        return values.keySet();
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns a value of any kind; null if it was not given and has no default. */
    @Nullable Object any(String name) {
        return values.get(name);
    }

    /** Returns a value; null if it was not given and has no default. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the table declares the kind beside the name
    private <T> @Nullable T get(String name) {
        return (T) values.get(name);
    }

    @Nullable String text(String name) {
        return get(name);
    }

    /** Returns a text that is required or has a default. */
    String some(String name) {
        return Objects.requireNonNull(text(name), name);
    }

    @Nullable Long number(String name) {
        return get(name);
    }

    /** Returns an integer that is required or has a default. */
    int integer(String name) {
        return Math.toIntExact(Objects.requireNonNull(number(name), name));
    }

    /** Returns an id that is required. */
    long id(String name) {
        return Objects.requireNonNull(number(name), name);
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(get(name));
    }

    @Nullable Duration duration(String name) {
        return get(name);
    }

    @Nullable Instant instant(String name) {
        return get(name);
    }

    @Nullable Json json(String name) {
        return get(name);
    }

    /** Returns a constant of an enum; null if it was not given. */
    @SuppressWarnings("TypeParameterUnusedInFormals")
    <E extends Enum<E>> @Nullable E choice(String name) {
        return get(name);
    }

    /** Returns the values of a list; empty if it was not given. */
    <T> List<T> list(String name) {
        List<T> list = get(name);
        return list == null ? List.of() : list;
    }

    @Nullable Values object(String name) {
        return get(name);
    }

    /** Applies a change for a value, if it was given. */
    <S, T> S given(S subject, String name, BiFunction<S, T, S> change) {
        T value = get(name);
        return value == null ? subject : change.apply(subject, value);
    }
}
