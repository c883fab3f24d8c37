package dev.windrow.cli.demo;

import java.util.Map;

/**
 * The result of the job of one file.
 *
 * @param sha256 the digest of its content
 * @param bytes its size
 * @param lines the number of its newline characters
 * @param words the number of its runs of non-whitespace
 * @param topWords its most frequent words, at most {@link FileCounter#WORDS}
 * @param missing the amount by which their counts may be too low
 */
public record FileCount(String sha256, long bytes, long lines, long words, Map<String, Long> topWords, long missing) {}
