package dev.windrow;

/**
 * What writing a database anew has done to its size.
 *
 * @param bytesBefore how many bytes it had
 * @param bytesAfter how many it has
 */
public record SizeChange(long bytesBefore, long bytesAfter) {}
