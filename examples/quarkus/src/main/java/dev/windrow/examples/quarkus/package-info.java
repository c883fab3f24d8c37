/** A shop on Quarkus, in whose transactions jobs are enqueued. */
package dev.windrow.examples.quarkus;
