/** Windrow in applications of Spring Boot: annotations of handlers, and customizers. */
@NullMarked
package dev.windrow.spring;

import org.jspecify.annotations.NullMarked;
