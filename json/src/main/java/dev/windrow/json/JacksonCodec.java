package dev.windrow.json;

import dev.windrow.InvalidRequestException;
import dev.windrow.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;

/**
 * Writes and reads payloads with Jackson 3. Safe for use by many threads.
 *
 * <p>Unknown fields are ignored, and a missing reference is null. A missing or null primitive of a record or a constructor is an error, and so is
 * text after the value. Times and durations are ISO-8601 text. Nesting is limited to {@value #MAX_NESTING} levels, for writing and reading. The text
 * never names a class: default typing is off, and types annotated to carry class names are refused.
 *
 * <p>A class with fields of which Jackson sees none would be written as <code>{}</code>. It is refused, also as a property or an element of the type.
 * Classes without fields, and classes whose annotations ignore all fields, are written so.
 */
public final class JacksonCodec implements PayloadCodec {
    /** The deepest nesting of arrays and objects that is written or read: 500 levels. */
    public static final int MAX_NESTING = 500;

    private final JsonMapper mapper;
    // The keys are types of the program, not of the data, so the maps stay small.
    private final ConcurrentMap<Type, ObjectReader> readers = new ConcurrentHashMap<>();
    private final ConcurrentMap<Type, ObjectWriter> writers = new ConcurrentHashMap<>();

    /** Creates a codec with these rules. */
    public JacksonCodec() {
        this(strict());
    }

    /**
     * Creates a codec with a mapper of the application. Its settings replace all rules of this class except one: classes whose fields are not visible
     * to the mapper are refused. Never activate default typing on it, because stored text would then choose the created classes.
     */
    public JacksonCodec(JsonMapper mapper) {
        this.mapper = mapper.rebuild()
                .addModule(new SimpleModule("windrow").setSerializerModifier(new HollowClasses()))
                .build();
    }

    private static JsonMapper strict() {
        JsonFactory factory = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_NESTING)
                        // Lengths are limited where payloads are stored.
                        .maxStringLength(Integer.MAX_VALUE)
                        .build())
                .streamWriteConstraints(StreamWriteConstraints.builder()
                        .maxNestingDepth(MAX_NESTING)
                        .build())
                .build();
        return JsonMapper.builder(factory)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .annotationIntrospector(new PrimitivesAreRequired())
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .disable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .disable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                // Allows nothing: a class name in the text is an error even for types annotated to take one.
                .polymorphicTypeValidator(
                        BasicPolymorphicTypeValidator.builder().build())
                .build();
    }

    /** Makes a creator fail for a missing primitive only. The mapper's own setting would include references. */
    private static final class PrimitivesAreRequired extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
            Class<?> type = member.getRawType();
            boolean primitive = type.isPrimitive() && type != void.class;
            return primitive ? Boolean.TRUE : super.hasRequiredMarker(config, member);
        }
    }

    @Override
    public void check(Type type) {
        ObjectWriter unused = writer(type);
    }

    @Override
    public String encode(@Nullable Object value, Type type) {
        return writer(type).writeValueAsString(value);
    }

    private ObjectWriter writer(Type type) {
        return writers.computeIfAbsent(type, each -> {
            JavaType known = mapper.constructType(each);
            HollowClasses.check(mapper, known);
            return mapper.writerFor(known);
        });
    }

    @Override
    public @Nullable Object decode(String json, Type type) {
        try {
            return readers.computeIfAbsent(type, t -> mapper.readerFor(mapper.constructType(t)))
                    .readValue(json);
        } catch (DatabindException e) {
            Class<?> lacking = classWithoutCreator(e);
            if (lacking != null && isKotlin(lacking)) {
                throw new InvalidRequestException(
                        "%s cannot be made from JSON: add @JvmRecord to the class, or jackson-module-kotlin to the application"
                                .formatted(lacking.getName()),
                        e);
            }
            throw e;
        }
    }

    /** Returns the class that Jackson cannot create because it knows no constructor for it. Returns null if the failure has another reason. */
    private static @Nullable Class<?> classWithoutCreator(DatabindException e) {
        if (!String.valueOf(e.getMessage()).contains("Creator")) {
            return null;
        }
        return e instanceof MismatchedInputException mismatch
                ? mismatch.getTargetType()
                : e instanceof InvalidDefinitionException definition
                        ? definition.getType().getRawClass()
                        : null;
    }

    private static boolean isKotlin(Class<?> type) {
        return Stream.of(type.getAnnotations())
                .anyMatch(each -> each.annotationType().getName().equals("kotlin.Metadata"));
    }
}
