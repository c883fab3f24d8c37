package dev.windrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.payload.Json;
import dev.windrow.payload.TypeRef;
import java.lang.reflect.ParameterizedType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ValuesTest {
    @Test
    void aTypeRefKnowsItsTypeArgument() {
        assertThat(new TypeRef<Map<String, List<Integer>>>() {}.type())
                .isInstanceOfSatisfying(ParameterizedType.class, type -> {
                    assertThat(type.getRawType()).isEqualTo(Map.class);
                    assertThat(type.getTypeName()).contains("java.util.List<java.lang.Integer>");
                });
        assertThat(new TypeRef<String>() {}.type()).isEqualTo(String.class);
    }

    private abstract static class Between<T> extends TypeRef<T> {}

    private static final class Indirect extends Between<String> {}

    // The test checks that a raw type is refused.
    @SuppressWarnings("rawtypes")
    @Test
    void aTypeRefMustBeADirectSubclass() {
        assertThatThrownBy(Indirect::new).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TypeRef() {}).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void errorCodesHaveTwoParts() {
        for (String good : List.of("A:B", "TIMEOUT:EXECUTION", "PROCESS:EXIT_1", "A1_:2")) {
            assertThat(ErrorCodes.check(good)).isEqualTo(good);
        }
        for (String bad : List.of("", "A", "A:", ":B", "a:b", "A:B:C", "A B:C", "1A:B", "A:" + "B".repeat(99))) {
            assertThatThrownBy(() -> ErrorCodes.check(bad)).isInstanceOf(InvalidRequestException.class);
            assertThatThrownBy(() -> JobFailure.permanent(bad, null)).isInstanceOf(InvalidRequestException.class);
        }
    }

    @Test
    void aReferencePrintsAsItsId() {
        assertThat(JobType.of("x", String.class, Integer.class).ref(42)).hasToString("42");
        assertThat(JobRef.raw(1).output()).isEqualTo(Json.class);
    }
}
