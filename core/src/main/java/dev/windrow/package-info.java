/**
 * The API: {@link dev.windrow.Windrow} and {@link dev.windrow.Worker}, job types, new jobs, handlers, what is read of jobs, and errors.
 *
 * <p>Every value is immutable and safe to share between threads.
 */
@NullMarked
package dev.windrow;

import org.jspecify.annotations.NullMarked;
