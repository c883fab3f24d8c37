/** The auto-configurations of Windrow. An application uses no class of this package, except to exclude one. */
@NullMarked
package dev.windrow.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
