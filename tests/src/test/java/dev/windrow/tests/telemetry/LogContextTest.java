package dev.windrow.tests.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.processes.Child;
import dev.windrow.tests.stores.OnEachStore;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Log lines name their job. The test uses its own process, because this one logs without a context. */
@OnEachStore
class LogContextTest extends TelemetryTest {
    private static final String ENQUEUED = "span=b7ad6b7169203331, trace=0af7651916cd43dd8448eb211c80319c";

    /** A line end in a value cannot begin another line. */
    private static final String WORK = "type=work, windrow.metadata.customer=4\u240a2, worker=w/1";

    private List<String> lines(String how) throws Exception {
        List<String> lines = new ArrayList<>();
        try (Child child = Child.start(
                folder,
                List.of("-Dslf4j.provider=" + ContextLogging.class.getName()),
                ContextLogger.class,
                target,
                how)) {
            String line = child.line();
            while (!line.equals("END")) {
                lines.add(line);
                line = child.line();
            }
        }
        return lines;
    }

    private static String only(List<String> lines, String begin) {
        return lines.stream()
                .filter(line -> line.startsWith(begin))
                .reduce((one, other) -> {
                    throw new AssertionError(one + " and " + other);
                })
                .orElseThrow(() -> new AssertionError(begin + " is not in " + lines));
    }

    @Test
    void logLinesCarryTheJobAndTheTraceOfItsEnqueue() throws Exception {
        List<String> lines = lines("untraced");
        assertThat(only(lines, "handles 1"))
                .endsWith("{attempt=1, job=1, queue=default, " + ENQUEUED + ", " + WORK + "}");
        assertThat(only(lines, "handles 2"))
                .as("the entry of the first handler is removed")
                .endsWith("{attempt=2, job=1, queue=default, " + ENQUEUED + ", " + WORK + "}");
        assertThat(only(lines, "after the commit"))
                .endsWith("{attempt=2, job=1, queue=default, " + ENQUEUED + ", " + WORK + "}");
        assertThat(only(lines, "told FAILED")).endsWith("{attempt=1, job=1, queue=default, type=work}");
        assertThat(only(lines, "told SUCCEEDED")).endsWith("{attempt=2, job=1, queue=default, type=work}");
        assertThat(only(lines, "w is done")).endsWith("{}");
    }

    @Test
    void logLinesOfTracedAttemptsCarryTheirSpans() throws Exception {
        List<String> lines = lines("traced");
        Pattern spans = Pattern.compile("span=([0-9a-f]{16}), trace=0af7651916cd43dd8448eb211c80319c");
        List<String> found = new ArrayList<>();
        for (String begin : List.of("handles 1", "handles 2", "after the commit")) {
            Matcher matcher = spans.matcher(only(lines, begin));
            assertThat(matcher.find()).as(only(lines, begin)).isTrue();
            found.add(matcher.group(1));
        }
        assertThat(found.get(0)).isNotEqualTo("b7ad6b7169203331").isNotEqualTo(found.get(1));
        assertThat(found.get(2)).isEqualTo(found.get(1));
    }
}
