/** Retention: how long jobs are kept that have ended, and their deletion. The commands. */
@NullMarked
package dev.windrow.cli.retention;

import org.jspecify.annotations.NullMarked;
