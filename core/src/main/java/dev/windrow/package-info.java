/**
 * The API: {@link dev.windrow.Windrow} and {@link dev.windrow.Worker}, job types, job requests, handlers, stored jobs, and exceptions.
 *
 * <p>Every value is immutable and safe for use by many threads.
 */
@NullMarked
package dev.windrow;

import org.jspecify.annotations.NullMarked;
