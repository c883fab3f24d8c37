/** The demo: counts lines and words of the files below a folder, with a job for each. */
@NullMarked
package dev.windrow.cli.demo;

import org.jspecify.annotations.NullMarked;
