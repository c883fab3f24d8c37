/** Transfer: copies and moves of a queue. */
@NullMarked
package dev.windrow.transfer;

import org.jspecify.annotations.NullMarked;
