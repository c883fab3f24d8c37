package dev.windrow.cli.demo;

import java.util.Map;

/**
 * What the demo knows of many files: the result of its report.
 *
 * @param files how many there were
 * @param completed how many were counted
 * @param lines newline characters of those
 * @param words runs of non-whitespace in those
 * @param bytes the size of those
 * @param failures how many failed, for each error code; most frequent first
 * @param topWords the most frequent words
 * @param missing by how much their counts may be too low
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
