package dev.windrow.bench;

import java.util.function.Consumer;

/**
 * The common objects of all measurements.
 *
 * @param settings the measurements to run
 * @param scratch a folder for temporary files
 * @param databases the source of databases
 * @param progress called with a short description of each step
 */
record Ground(BenchSettings settings, Scratch scratch, Databases databases, Consumer<String> progress) {
    /** The number of counted runs; one more comes before them. */
    static final int RUNS = 3;

    /** Reports the begin of a run by its number; 0 is the warm-up. */
    void begins(String what, int run) {
        progress.accept(what + ", " + (run == 0 ? "warm-up" : "run " + run + " of " + RUNS));
    }
}
