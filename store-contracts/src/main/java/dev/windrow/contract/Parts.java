package dev.windrow.contract;

import dev.windrow.payload.Metadata;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Creates values that normally only a store creates, from the parts that a test names. The others are null, 0, false
 * or empty.
 */
public final class Parts {
    private Parts() {}

    /** Creates a value of this type. Its parts have the names of its methods. */
    public static <T> T of(Class<T> type, Map<String, ?> parts) {
        Set<String> names = Stream.of(type.getMethods()).map(Method::getName).collect(Collectors.toSet());
        if (!names.containsAll(parts.keySet())) {
            throw new IllegalArgumentException(type + " has not all of " + parts.keySet());
        }
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (value, method, given) -> {
                    if (method.isDefault()) {
                        return InvocationHandler.invokeDefault(value, method, given);
                    }
                    Object part = parts.get(method.getName());
                    return part != null ? part : absent(method.getReturnType());
                }));
    }

    private static @Nullable Object absent(Class<?> type) {
        if (type == List.class) {
            return List.of();
        }
        if (type == Metadata.class) {
            return Metadata.none();
        }
        return type == long.class ? (Object) 0L : type == int.class ? (Object) 0 : type == boolean.class ? false : null;
    }
}
