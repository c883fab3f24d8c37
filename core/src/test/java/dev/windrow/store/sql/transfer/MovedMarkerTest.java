package dev.windrow.store.sql.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.WindrowException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The meaning of a store's moved marker for copies and moves. */
class MovedMarkerTest {
    private static final MovedMarker MOVE = MovedMarker.movedTo("there");
    private static final MovedMarker COPY = MovedMarker.copyOf("origin");

    @Test
    void aCopyBeginsWithoutAMarkerAndResumesUnderOneOfTheSameOrigin() {
        assertThat(MovedMarker.resumes(null, "here", "origin", false)).isFalse();
        assertThat(MovedMarker.resumes(COPY, "here", "origin", true)).isTrue();
    }

    @Test
    void aCopyIsRefusedWithoutACopyToResumeOrWithAnotherMarker() {
        assertThatThrownBy(() -> MovedMarker.resumes(null, "here", "origin", true))
                .isInstanceOf(WindrowException.class)
                .hasMessage("here holds no unfinished copy: nothing to resume");
        assertThatThrownBy(() -> MovedMarker.resumes(COPY, "here", "another", true))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("cannot continue it with a copy of another");
        assertThatThrownBy(() -> MovedMarker.resumes(COPY, "here", "origin", false))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("'windrow copy --resume'");
        assertThatThrownBy(() -> MovedMarker.resumes(MOVE, "here", "origin", true))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("here is closed");
    }

    @Test
    void aStoreIsClosedOnceForOneDestination() {
        assertThat(MovedMarker.closes(null, "here", "there")).isTrue();
        assertThat(MovedMarker.closes(MOVE, "here", "there")).isFalse();
        assertThatThrownBy(() -> MovedMarker.closes(MOVE, "here", "elsewhere"))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("cannot be moved to elsewhere as well");
    }

    @Test
    void aStoreThatHoldsACopyIsNeitherReadNorReopened() {
        assertThat(MovedMarker.wasMoved(null, "here")).isFalse();
        assertThat(MovedMarker.wasMoved(MOVE, "here")).isTrue();
        assertThatThrownBy(() -> MovedMarker.wasMoved(COPY, "here"))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("that is not finished");
    }

    @Test
    void aTargetIsEmptyAndWithoutWorkers() {
        assertThatCode(() -> MovedMarker.requireEmpty("here", false, List.of())).doesNotThrowAnyException();
        assertThatThrownBy(() -> MovedMarker.requireEmpty("here", true, List.of()))
                .hasMessageContaining("here is not empty");
        assertThatThrownBy(() -> MovedMarker.requireEmpty("here", false, List.of("a", "b")))
                .hasMessageContaining("(a, b): stop them first");
        assertThatThrownBy(() -> MovedMarker.requireNone(COPY, "here")).isInstanceOf(IncompatibleStoreException.class);
    }
}
