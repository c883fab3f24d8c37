package dev.windrow.payload;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Objects;

/**
 * A name for a generic type, for which there is no class literal: {@code new TypeRef<List<Order>>() {}}.
 *
 * @param <T> the named type
 */
public abstract class TypeRef<T> {
    private final Type type;

    /** Captures {@code T} from the subclass that is being created. */
    protected TypeRef() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType parameterized)
                || parameterized.getRawType() != TypeRef.class) {
            throw new IllegalArgumentException(
                    "TypeRef must be created as a direct anonymous subclass: new TypeRef<List<Order>>() {}");
        }
        this.type = parameterized.getActualTypeArguments()[0];
    }

    private TypeRef(Type type) {
        this.type = Objects.requireNonNull(type, "type");
    }

    /** Returns a name for a type that is known only at run time, such as the type of a method's parameter. */
    public static TypeRef<?> of(Type type) {
        return new TypeRef<>(type) {};
    }

    /** Returns the captured type. */
    public final Type type() {
        return type;
    }
}
