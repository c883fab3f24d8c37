/**
 * The JSON forms that the command line and the HTTP API share. Each form is a {@link dev.windrow.wire.JsonObject} with a fixed list of keys. A new
 * version may add keys. It does not rename or remove one.
 */
@NullMarked
package dev.windrow.wire;

import org.jspecify.annotations.NullMarked;
