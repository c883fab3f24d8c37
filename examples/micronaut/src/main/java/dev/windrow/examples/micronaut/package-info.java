/** A shop on Micronaut, in whose transactions jobs are enqueued. */
package dev.windrow.examples.micronaut;
