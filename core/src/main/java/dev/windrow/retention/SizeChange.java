package dev.windrow.retention;

/**
 * The size of a database before and after it was rewritten.
 *
 * @param bytesBefore the number of bytes before
 * @param bytesAfter the number of bytes after
 */
public record SizeChange(long bytesBefore, long bytesAfter) {}
