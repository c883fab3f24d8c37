package dev.windrow.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ids in log lines are the ids from which a trace continues: both parsers refuse the same texts. */
class TraceContextTest {
    private static final String IDS = "-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @ParameterizedTest
    @ValueSource(strings = {"00" + IDS, "01" + IDS, "cc" + IDS + "-what-comes-then"})
    void aContextOfALaterVersionIsReadAsFarAsKnown(String text) {
        assertThat(TraceContext.of(text))
                .isEqualTo(new TraceContext("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "0" + IDS,
                "ff" + IDS,
                "01" + IDS + "x",
                "00" + IDS + "-what-comes-then",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"
            })
    void anInvalidContextIsIgnored(String text) {
        assertThat(TraceContext.of(text)).isNull();
    }

    @Test
    void aJobWithoutAContextHasNone() {
        assertThat(TraceContext.of(null)).isNull();
        assertThat(TraceContext.of("00" + IDS.toUpperCase(Locale.ROOT))).isNull();
    }
}
