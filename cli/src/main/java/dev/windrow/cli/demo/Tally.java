package dev.windrow.cli.demo;

import java.util.Map;

/**
 * The result of the demo's report: the sums over many files.
 *
 * @param files the number of files
 * @param completed the number of counted files
 * @param lines the number of newline characters in the counted files
 * @param words the number of runs of non-whitespace in the counted files
 * @param bytes the size of the counted files
 * @param failures the number of failed files by error code, most frequent first
 * @param topWords the most frequent words
 * @param missing the amount by which their counts may be too low
 */
public record Tally(
        long files,
        long completed,
        long lines,
        long words,
        long bytes,
        Map<String, Long> failures,
        Map<String, Long> topWords,
        long missing) {
    public long failed() {
        return files - completed;
    }
}
