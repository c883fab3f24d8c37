package dev.windrow.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.WindrowException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The meaning of the mark of a store for copies and moves. */
class MarkTest {
    private static final Mark MOVE = Mark.movedTo("there");
    private static final Mark COPY = Mark.copyOf("origin");

    @Test
    void aCopyBeginsInAStoreWithoutAMarkAndGoesOnInOneOfTheSameOrigin() {
        assertThat(Mark.resumes(null, "here", "origin", false)).isFalse();
        assertThat(Mark.resumes(COPY, "here", "origin", true)).isTrue();
    }

    @Test
    void aCopyIsRefusedWhereThereIsNothingToResumeOrSomethingElse() {
        assertThatThrownBy(() -> Mark.resumes(null, "here", "origin", true))
                .isInstanceOf(WindrowException.class)
                .hasMessage("there is no unfinished copy in here: nothing to resume");
        assertThatThrownBy(() -> Mark.resumes(COPY, "here", "another", true))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("cannot go on with one of another");
        assertThatThrownBy(() -> Mark.resumes(COPY, "here", "origin", false))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("'windrow copy --resume'");
        assertThatThrownBy(() -> Mark.resumes(MOVE, "here", "origin", true))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("here is closed");
    }

    @Test
    void aStoreIsClosedOnceAndForOneDestination() {
        assertThat(Mark.closes(null, "here", "there")).isTrue();
        assertThat(Mark.closes(MOVE, "here", "there")).isFalse();
        assertThatThrownBy(() -> Mark.closes(MOVE, "here", "elsewhere"))
                .isInstanceOf(WindrowException.class)
                .hasMessageContaining("is not moved to elsewhere as well");
    }

    @Test
    void aStoreThatHoldsACopyIsNeitherReadNorReopened() {
        assertThat(Mark.wasMoved(null, "here")).isFalse();
        assertThat(Mark.wasMoved(MOVE, "here")).isTrue();
        assertThatThrownBy(() -> Mark.wasMoved(COPY, "here"))
                .isInstanceOf(IncompatibleStoreException.class)
                .hasMessageContaining("that is not finished");
    }

    @Test
    void aTargetIsEmptyAndWithoutWorkers() {
        assertThatCode(() -> Mark.requireEmpty("here", false, List.of())).doesNotThrowAnyException();
        assertThatThrownBy(() -> Mark.requireEmpty("here", true, List.of())).hasMessageContaining("here is not empty");
        assertThatThrownBy(() -> Mark.requireEmpty("here", false, List.of("a", "b")))
                .hasMessageContaining("(a, b): stop them first");
        assertThatThrownBy(() -> Mark.requireNone(COPY, "here")).isInstanceOf(IncompatibleStoreException.class);
    }
}
