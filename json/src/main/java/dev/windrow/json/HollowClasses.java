package dev.windrow.json;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.windrow.InvalidRequestException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonArrayFormatVisitor;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatTypes;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitable;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonMapFormatVisitor;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;

/**
 * The classes that hold data of which Jackson sees nothing: they have private fields without getters or annotations. Jackson silently writes them as
 * {@code {}}. A class without fields is not such a class.
 */
final class HollowClasses extends ValueSerializerModifier {
    private static final long serialVersionUID = 1L;

    /** Refuses a type that is such a class, or whose declared properties or elements contain one. */
    static void check(JsonMapper mapper, JavaType type) {
        Walk walk = new Walk(type);
        try {
            mapper.acceptJsonFormatVisitor(type, walk);
        } catch (RuntimeException e) {
            // A type that cannot be examined is checked when a value of it is written.
            return;
        }
        if (walk.found != null) {
            throw new InvalidRequestException(walk.found.message());
        }
    }

    @Override
    public ValueSerializer<?> modifySerializer(
            SerializationConfig config, BeanDescription.Supplier supplier, ValueSerializer<?> serializer) {
        boolean empty = serializer instanceof UnknownSerializer
                || (serializer instanceof BeanSerializerBase bean
                        && !bean.properties().hasNext());
        if (!empty) {
            return serializer;
        }
        Class<?> type = supplier.getBeanClass();
        BeanDescription description = supplier.get();
        boolean isAbstract = Modifier.isAbstract(type.getModifiers());
        boolean onPurpose = supplier.getClassAnnotations().has(JsonIgnoreProperties.class)
                || supplier.getClassAnnotations().has(JsonIncludeProperties.class)
                || (isAbstract && isNamedInText(supplier))
                || description.findAnyGetter() != null;
        List<String> fields = fields(type, description.getIgnoredPropertyNames());
        boolean hollow = !fields.isEmpty() || (isAbstract && type != Object.class);
        return onPurpose || !hollow ? serializer : new Hollow(type, fields);
    }

    /** True if the JSON text holds the name of the value's subtype. A type whose text would name a Java class cannot be read, and does not count. */
    private static boolean isNamedInText(BeanDescription.Supplier supplier) {
        JsonTypeInfo info = supplier.getClassAnnotations().get(JsonTypeInfo.class);
        return info != null && info.use() != JsonTypeInfo.Id.CLASS && info.use() != JsonTypeInfo.Id.MINIMAL_CLASS;
    }

    /** Returns the fields of an instance, without the deliberately ignored ones. */
    private static List<String> fields(Class<?> type, Set<String> ignored) {
        List<String> fields = new ArrayList<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                boolean left = Modifier.isStatic(field.getModifiers())
                        || Modifier.isTransient(field.getModifiers())
                        || field.isSynthetic()
                        || field.isAnnotationPresent(JsonIgnore.class)
                        || ignored.contains(field.getName());
                if (!left) {
                    fields.add(field.getName());
                }
            }
        }
        return fields;
    }

    /** Refuses a value for which Jackson would write {@code {}}. */
    private static final class Hollow extends ValueSerializer<Object> {
        private final Class<?> type;
        private final List<String> fields;

        Hollow(Class<?> type, List<String> fields) {
            this.type = type;
            this.fields = fields;
        }

        String message() {
            return fields.isEmpty()
                    ? "%s has no property of its own and would be stored as {}: name a record or a class, or annotate it"
                            .formatted(type.getName())
                    : "%s would be stored as {}, because its fields (%s) are not visible to Jackson: make it a record, or add getters, or annotate the fields with @JsonProperty"
                            .formatted(type.getName(), String.join(", ", fields));
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            throw new InvalidRequestException(message());
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer typed) {
            throw new InvalidRequestException(message());
        }

        @Override
        public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType seen) {
            if (visitor instanceof Walk walk) {
                walk.meets(this);
            }
        }
    }

    /** Examines a type by the serializers that would write it. For an abstract class the serializer of the value counts, later. */
    private static final class Walk extends JsonFormatVisitorWrapper.Base {
        private final JavaType root;
        private final Set<JavaType> seen = new HashSet<>();
        private @Nullable Hollow found;

        Walk(JavaType root) {
            this.root = root;
        }

        void meets(Hollow hollow) {
            if (!Modifier.isAbstract(hollow.type.getModifiers()) || root.hasRawClass(hollow.type)) {
                found = hollow;
            }
        }

        private void enter(@Nullable JsonFormatVisitable serializer, JavaType type) {
            ValueSerializer<?> known = serializer instanceof ValueSerializer<?> there ? there : null;
            (known == null ? getContext().findValueSerializer(type) : known).acceptJsonFormatVisitor(this, type);
        }

        @Override
        public @Nullable JsonObjectFormatVisitor expectObjectFormat(JavaType type) {
            if (!seen.add(type)) {
                return null;
            }
            return new JsonObjectFormatVisitor.Base(getContext()) {
                @Override
                public void property(BeanProperty property) {
                    enter(null, property.getType());
                }

                @Override
                public void optionalProperty(BeanProperty property) {
                    enter(null, property.getType());
                }
            };
        }

        @Override
        public @Nullable JsonArrayFormatVisitor expectArrayFormat(JavaType type) {
            if (!seen.add(type)) {
                return null;
            }
            return new JsonArrayFormatVisitor.Base(getContext()) {
                @Override
                public void itemsFormat(JsonFormatVisitable handler, JavaType element) {
                    enter(handler, element);
                }

                @Override
                public void itemsFormat(JsonFormatTypes format) {}
            };
        }

        @Override
        public @Nullable JsonMapFormatVisitor expectMapFormat(JavaType type) {
            if (!seen.add(type)) {
                return null;
            }
            return new JsonMapFormatVisitor.Base(getContext()) {
                @Override
                public void valueFormat(JsonFormatVisitable handler, JavaType value) {
                    enter(handler, value);
                }
            };
        }
    }
}
