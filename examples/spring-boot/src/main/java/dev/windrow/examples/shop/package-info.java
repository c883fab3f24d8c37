/** A web shop on Spring Boot, in whose transactions jobs are enqueued. */
@NullMarked
package dev.windrow.examples.shop;

import org.jspecify.annotations.NullMarked;
