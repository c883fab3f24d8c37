/**
 * The engine: enqueues, claims, runs, renews, settles and reclaims jobs through an {@link dev.windrow.store.OpenStore}. Not exported; the API
 * reaches it by {@link dev.windrow.engine.Engine} alone.
 */
@NullMarked
package dev.windrow.engine;

import org.jspecify.annotations.NullMarked;
