/**
 * What a store must do, and the state machine it must keep.
 *
 * <p>For authors of stores. Applications use {@code dev.windrow} and {@code dev.windrow.engine}.
 */
@NullMarked
package dev.windrow.store;

import org.jspecify.annotations.NullMarked;
