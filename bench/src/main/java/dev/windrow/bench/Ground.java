package dev.windrow.bench;

import java.util.function.Consumer;

/**
 * What all measurements stand on.
 *
 * @param settings what to measure
 * @param scratch a folder for what they leave
 * @param databases where to measure
 * @param progress told what is under way, in a few words
 */
record Ground(BenchSettings settings, Scratch scratch, Databases databases, Consumer<String> progress) {
    /** Runs that are counted; one more comes before them. */
    static final int RUNS = 3;

    /** Tells of a run by its number, 0 being the one to warm up. */
    void begins(String what, int run) {
        progress.accept(what + ", " + (run == 0 ? "warm-up" : "run " + run + " of " + RUNS));
    }
}
