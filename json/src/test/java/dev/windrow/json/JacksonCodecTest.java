package dev.windrow.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.windrow.InvalidRequestException;
import dev.windrow.payload.PayloadCodec;
import dev.windrow.payload.TypeRef;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class JacksonCodecTest {
    private final PayloadCodec codec = new JacksonCodec();

    record Resize(String file, int width) {}

    record Order(String id, List<Resize> lines, Map<String, Integer> counts, Integer optional) {}

    record Times(Instant at, Duration took, LocalDate day) {}

    record Primitives(int i, long l, boolean b, double d, char c) {}

    record Holder(Object anything) {}

    static final class Bean {
        private String name = "unset";
        private int size = 7;

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public int getSize() {
            return size;
        }

        public void setSize(int size) {
            this.size = size;
        }
    }

    /** Counts its instances: none may ever come out of text. */
    public static final class Gadget {
        static int made;

        public Gadget() {
            made++;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface Annotated {}

    record Named(String id) implements Annotated {}

    record Sealed(@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Object value) {}

    private Object roundTrip(Object value, Type type) {
        return codec.decode(codec.encode(value, type), type);
    }

    /** Private fields, and nothing that Jackson sees. */
    @SuppressWarnings("UnusedVariable") // that is the point
    static class Hidden {
        private final String file = "cat.jpg";
        private final int width = 200;
    }

    record Ping() {}

    static final class Bare {}

    interface Shape {}

    @SuppressWarnings("UnusedVariable")
    static final class Shown {
        @JsonProperty
        private String file = "cat.jpg";
    }

    @SuppressWarnings("UnusedVariable")
    static final class Ignored {
        @JsonIgnore
        private String secret = "s";
    }

    record Wrapped(String id, Hidden hidden) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(HiddenFigure.class)})
    sealed interface Figure {}

    @JsonTypeName("circle")
    record Circle(int radius) implements Figure {}

    @JsonTypeName("hidden")
    static final class HiddenFigure implements Figure {
        private final int size = 1;

        @Override
        public String toString() {
            return "of size " + size;
        }
    }

    /** Holds itself. */
    static final class Tree extends TreeMap<String, Tree> {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void ofATypeWhoseValuesSayTheirClassTheClassOfTheValueCounts() {
        assertThat(codec.decode(codec.encode(new Circle(3), Figure.class), Figure.class))
                .isEqualTo(new Circle(3));
        assertThat(codec.encode(new Tree(), Tree.class)).isEqualTo("{}");
        assertThatThrownBy(() -> codec.encode(new HiddenFigure(), Figure.class))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("HiddenFigure would be stored as {}");
    }

    private record Recursive(String id, List<Recursive> children) {}

    @Test
    void aClassWhoseFieldsAreInvisibleIsRefusedWithItsNameAndTheRemedy() {
        String message = Hidden.class.getName()
                + " would be stored as {}, because its fields (file, width) are not visible to Jackson: make it a record, or add"
                + " getters, or annotate the fields with @JsonProperty";
        for (Type type : List.of(
                Hidden.class,
                Wrapped.class,
                Hidden[].class,
                new TypeRef<List<Hidden>>() {}.type(),
                new TypeRef<Map<String, Wrapped>>() {}.type())) {
            assertThatThrownBy(() -> codec.check(type))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage(message);
        }
        assertThatThrownBy(() -> codec.check(Shape.class)).hasMessageContaining("Shape has no property of its own");
        // Where only the value tells its class.
        assertThatThrownBy(() -> codec.encode(new Holder(new Hidden()), Holder.class))
                .hasMessageContaining("Hidden would be stored as {}");
    }

    @Test
    void aClassWithoutFieldsOrWithAnnotationsIsWrittenAsItIs() {
        assertThat(codec.encode(new Ping(), Ping.class)).isEqualTo("{}");
        assertThat(codec.encode(new Bare(), Bare.class)).isEqualTo("{}");
        assertThat(codec.encode(new Ignored(), Ignored.class)).isEqualTo("{}");
        assertThat(codec.encode(new Shown(), Shown.class)).isEqualTo("{\"file\":\"cat.jpg\"}");
        assertThat(codec.encode(new Recursive("a", List.of()), Recursive.class))
                .isEqualTo("{\"id\":\"a\",\"children\":[]}");
        for (Type type : List.of(Object.class, String.class, Bean.class, Order.class, Times.class, Primitives.class)) {
            codec.check(type);
        }
    }

    @Test
    void aRecordComesBackAsItWas() {
        Order order = new Order("o-1", List.of(new Resize("cat.jpg", 200)), Map.of("a", 1), null);
        assertThat(roundTrip(order, Order.class)).isEqualTo(order);
    }

    @Test
    void aBeanComesBackAsItWas() {
        Bean bean = new Bean();
        bean.setName("x");
        assertThat(roundTrip(bean, Bean.class)).usingRecursiveComparison().isEqualTo(bean);
    }

    @Test
    void aListNamedByATypeRefHasElementsOfItsType() {
        Type type = new TypeRef<List<Resize>>() {}.type();
        List<Resize> list = List.of(new Resize("a", 1), new Resize("b", 2));
        assertThat(roundTrip(list, type)).isEqualTo(list);
    }

    @Test
    void plainValuesNeedNoClassOfTheirOwn() {
        assertThat(codec.encode("a \"quoted\" text", String.class)).isEqualTo("\"a \\\"quoted\\\" text\"");
        assertThat(roundTrip(7, Integer.class)).isEqualTo(7);
        assertThat(roundTrip(true, Boolean.class)).isEqualTo(true);
        assertThat(codec.encode(null, String.class)).isEqualTo("null");
        assertThat(codec.decode("null", String.class)).isNull();
    }

    @Test
    void timesAreIsoText() {
        Times times =
                new Times(Instant.parse("2026-11-21T03:04:05.123456789Z"), Duration.ofMillis(90_500), LocalDate.EPOCH);
        assertThat(codec.encode(times, Times.class))
                .isEqualTo("{\"at\":\"2026-11-21T03:04:05.123456789Z\",\"took\":\"PT1M30.5S\",\"day\":\"1970-01-01\"}");
        assertThat(roundTrip(times, Times.class)).isEqualTo(times);
    }

    @Test
    void unknownFieldsAreIgnored() {
        assertThat(codec.decode("{\"file\":\"a\",\"width\":1,\"height\":{\"deep\":[1,2]}}", Resize.class))
                .isEqualTo(new Resize("a", 1));
    }

    @Test
    void aMissingPrimitiveOfARecordIsAnError() {
        assertThatThrownBy(() -> codec.decode("{\"file\":\"a\"}", Resize.class)).hasMessageContaining("width");
        String all = "{\"i\":1,\"l\":2,\"b\":true,\"d\":1.5,\"c\":\"x\"}";
        assertThat(codec.decode(all, Primitives.class)).isEqualTo(new Primitives(1, 2, true, 1.5, 'x'));
        for (String field : List.of("\"i\":1,", "\"l\":2,", "\"b\":true,", "\"d\":1.5,")) {
            assertThatThrownBy(() -> codec.decode(all.replace(field, ""), Primitives.class))
                    .as("without %s", field)
                    .isInstanceOf(RuntimeException.class);
        }
        assertThatThrownBy(() -> codec.decode(all.replace(",\"c\":\"x\"", ""), Primitives.class))
                .isInstanceOf(RuntimeException.class);
    }

    @Test
    void aNullPrimitiveIsAnError() {
        assertThatThrownBy(() -> codec.decode("{\"file\":\"a\",\"width\":null}", Resize.class))
                .hasMessageContaining("width");
        assertThatThrownBy(() -> codec.decode("{\"size\":null}", Bean.class)).hasMessageContaining("size");
    }

    @Test
    void aMissingReferenceIsNull() {
        assertThat(codec.decode("{\"width\":3}", Resize.class)).isEqualTo(new Resize(null, 3));
        assertThat(codec.decode("{\"id\":\"o\"}", Order.class)).isEqualTo(new Order("o", null, null, null));
    }

    @Test
    void anythingBehindTheValueIsAnError() {
        assertThatThrownBy(() -> codec.decode("{\"file\":\"a\",\"width\":1} {}", Resize.class))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> codec.decode("1 2", Integer.class)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void textThatIsNotJsonIsAnError() {
        for (String text : List.of("", " ", "{", "{\"file\":", "not json", "{'file':1}", "[1,]")) {
            assertThatThrownBy(() -> codec.decode(text, Object.class)).as(text).isInstanceOf(RuntimeException.class);
        }
    }

    @Test
    void aWrongTypeIsAnError() {
        assertThatThrownBy(() -> codec.decode("[]", Resize.class)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> codec.decode("{\"file\":\"a\",\"width\":\"wide\"}", Resize.class))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> codec.encode("text", Resize.class)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void aClassNameInTheTextNeverMakesAnObject() {
        String name = Gadget.class.getName();
        for (String text : List.of(
                "{\"@class\":\"%s\"}".formatted(name),
                "{\"@type\":\"%s\"}".formatted(name),
                "{\"@c\":\"%s\"}".formatted(name),
                "[\"%s\",{}]".formatted(name))) {
            assertThat(codec.decode(text, Object.class)).as(text).isNotInstanceOf(Gadget.class);
            assertThat(codec.decode("{\"anything\":%s}".formatted(text), Holder.class))
                    .as(text)
                    .isInstanceOfSatisfying(
                            Holder.class,
                            holder -> assertThat(holder.anything()).isInstanceOfAny(Map.class, List.class));
        }
        assertThat(Gadget.made).isZero();
    }

    @Test
    void aClassNameIsRefusedEvenWhereAnAnnotationAsksForOne() {
        String text = "{\"@class\":\"%s\"}".formatted(Gadget.class.getName());
        assertThatThrownBy(() -> codec.decode("{\"value\":%s}".formatted(text), Sealed.class))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> codec.decode(text, Annotated.class)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> codec.encode(new Named("x"), Annotated.class))
                .isInstanceOf(InvalidRequestException.class);
        assertThat(Gadget.made).isZero();
    }

    @Test
    void deepNestingIsRefusedBothWays() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        assertThatThrownBy(() -> codec.decode(deep, Object.class)).hasMessageContaining("nesting");
        assertThatThrownBy(() -> codec.decode("{\"unknown\":%s}".formatted(deep), Resize.class))
                .hasMessageContaining("nesting");
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            list = new ArrayList<>(List.of(list));
        }
        List<Object> deepest = list;
        assertThatThrownBy(() -> codec.encode(deepest, Object.class)).hasMessageContaining("nesting");
        String allowed = "[".repeat(JacksonCodec.MAX_NESTING) + "]".repeat(JacksonCodec.MAX_NESTING);
        assertThat(codec.decode(allowed, Object.class)).isInstanceOf(List.class);
    }

    @Test
    void aMapperOfOnesOwnReplacesAllRules() {
        PayloadCodec strict = new JacksonCodec(JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
        assertThatThrownBy(() -> strict.decode("{\"file\":\"a\",\"width\":1,\"more\":2}", Resize.class))
                .hasMessageContaining("more");
    }

    @Test
    void theServiceLoaderFindsIt() {
        assertThat(ServiceLoader.load(PayloadCodec.class).findFirst()).get().isInstanceOf(JacksonCodec.class);
    }
}
