/** A shop on a Jakarta EE server, in whose transactions jobs are enqueued. */
package dev.windrow.examples.jakarta;
