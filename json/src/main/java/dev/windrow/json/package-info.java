/** The default payload codec, on Jackson 3: found by {@link java.util.ServiceLoader}, nothing to configure. */
@NullMarked
package dev.windrow.json;

import org.jspecify.annotations.NullMarked;
