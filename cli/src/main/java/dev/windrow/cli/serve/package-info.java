/** The server of the HTTP API. The command. */
@NullMarked
package dev.windrow.cli.serve;

import org.jspecify.annotations.NullMarked;
