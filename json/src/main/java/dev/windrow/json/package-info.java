/** The default payload codec, with Jackson 3. Found by {@link java.util.ServiceLoader}; it needs no configuration. */
@NullMarked
package dev.windrow.json;

import org.jspecify.annotations.NullMarked;
