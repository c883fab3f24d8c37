package dev.windrow.cli.demo;

import java.util.Map;

/**
 * What the demo knows of one file: the result of its job.
 *
 * @param sha256 the digest of its content
 * @param bytes its size
 * @param lines the newline characters in it
 * @param words the runs of non-whitespace in it
 * @param topWords its most frequent words, at most {@link FileCounter#WORDS}
 * @param missing by how much their counts may be too low
 */
public record FileCount(String sha256, long bytes, long lines, long words, Map<String, Long> topWords, long missing) {}
