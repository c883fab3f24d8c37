package dev.windrow.store.sql.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InUseTest {
    private final List<String> stopped = new ArrayList<>();
    private final InUse<String> used = new InUse<>(stopped::add);

    @Test
    void runningWorkIsStopped() {
        assertThat(used.begin("connection")).isTrue();
        used.stop();
        used.stop();
        assertThat(stopped).containsExactly("connection", "connection");
    }

    /** The connection may belong to another user by then. */
    @Test
    void endedWorkIsNotStopped() {
        assertThat(used.begin("connection")).isTrue();
        used.end();
        used.stop();
        assertThat(stopped).isEmpty();
    }

    @Test
    void workThatWasStoppedDoesNotBegin() {
        used.stop();
        assertThat(used.begin("connection")).isFalse();
        used.stop();
        assertThat(stopped).isEmpty();
    }
}
