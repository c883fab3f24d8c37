/**
 * The engine: enqueues, claims, runs, renews, settles and reclaims jobs through an {@link dev.windrow.store.OpenStore}.
 * The package is not exported. The API reaches it only by {@link dev.windrow.engine.Engine}.
 */
@NullMarked
package dev.windrow.engine;

import org.jspecify.annotations.NullMarked;
