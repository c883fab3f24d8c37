package dev.windrow.engine.worker;

import java.util.List;

/** The work that a slot does at one time: one attempt, or the attempts that a batch handler takes in one call. */
sealed interface Call permits Attempt, BatchCall {
    /** Returns its attempts; none before a slot has started a {@link BatchCall}. */
    List<Attempt> attempts();
}
