/** A check of the description of the HTTP API: a stock generator makes a client from it, which talks to a real server. Not published. */
@NullMarked
package dev.windrow.client;

import org.jspecify.annotations.NullMarked;
