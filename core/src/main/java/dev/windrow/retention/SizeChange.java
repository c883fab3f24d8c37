package dev.windrow.retention;

/**
 * The size of a database before and after it was rewritten.
 *
 * @param bytesBefore how many bytes it had
 * @param bytesAfter how many it has
 */
public record SizeChange(long bytesBefore, long bytesAfter) {}
