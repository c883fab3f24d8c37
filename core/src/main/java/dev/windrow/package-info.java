/**
 * The values and verbs that applications use: job types, new jobs, handlers, snapshots, errors.
 *
 * <p>Nothing in this package knows a store or the engine. Every value is immutable and safe to share between threads.
 */
@NullMarked
package dev.windrow;

import org.jspecify.annotations.NullMarked;
