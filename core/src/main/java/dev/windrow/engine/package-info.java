/**
 * The engine: {@link dev.windrow.engine.Windrow}, the entry, and the workers. Everything else is hidden.
 */
@NullMarked
package dev.windrow.engine;

import org.jspecify.annotations.NullMarked;
