package dev.windrow.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.SubstituteLogger;

class SafeLoggerTest {
    @Test
    void exceptionsOfTheLoggingBackEndAreSwallowed() {
        Logger failing = (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getName")) {
                        return "failing";
                    }
                    throw new OutOfMemoryError("told to fail");
                });
        Logger log = new SafeLogger(failing);
        assertThatCode(() -> {
                    log.error("once {}", 1, new IllegalStateException("cause"));
                    log.warn("twice");
                    log.info("{} {} {}", 1, 2, 3);
                })
                .doesNotThrowAnyException();
    }

    @Test
    void aMessageThatCouldNotBeLoggedIsPrintedWithItsArgumentsAndItsCause() {
        Logger failing = (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getName")) {
                        return "failing";
                    }
                    throw new IllegalStateException("no log");
                });
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            new SafeLogger(failing).error("job {} of {}", 7, "mail", new IllegalArgumentException("why"));
        } finally {
            System.setErr(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("no log", "job {} of {}", "7", "mail", "why");
    }

    @Test
    void logCallsThatSucceedAreLogged() {
        Queue<SubstituteLoggingEvent> events = new ArrayDeque<>();
        Logger log = new SafeLogger(new SubstituteLogger("recording", events, false));
        IllegalStateException cause = new IllegalStateException("cause");
        log.warn("job {} of {}", 7, "mail", cause);
        List<Object> seen = new ArrayList<>();
        SubstituteLoggingEvent event = events.remove();
        seen.add(event.getLevel().name());
        seen.add(event.getMessage());
        seen.addAll(List.of(event.getArgumentArray()));
        assertThat(seen).containsExactly("WARN", "job {} of {}", 7, "mail");
        assertThat(event.getThrowable()).isSameAs(cause);
        assertThat(log.getName()).isEqualTo("recording");
    }
}
