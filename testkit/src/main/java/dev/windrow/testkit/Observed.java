package dev.windrow.testkit;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Copies of observed values, which later changes do not reach. */
final class Observed {
    private Observed() {}

    static @Nullable Object of(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<@Nullable Object, @Nullable Object> copy = new LinkedHashMap<>();
            map.forEach((key, each) -> copy.put(of(key), of(each)));
            return copy;
        }
        if (value instanceof Collection<?> collection) {
            List<@Nullable Object> copy = new ArrayList<>();
            collection.forEach(each -> copy.add(of(each)));
            Set<@Nullable Object> set = new LinkedHashSet<>(copy);
            return value instanceof Set<?> ? set : copy;
        }
        if (value != null && value.getClass().isArray()) {
            List<@Nullable Object> copy = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                copy.add(of(Array.get(value, i)));
            }
            return copy;
        }
        return value;
    }
}
