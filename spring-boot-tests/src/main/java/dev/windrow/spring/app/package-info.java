/** A shop on Spring Boot, of whose libraries each may be missing. */
@NullMarked
package dev.windrow.spring.app;

import org.jspecify.annotations.NullMarked;
