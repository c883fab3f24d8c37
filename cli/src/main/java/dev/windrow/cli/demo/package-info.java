/** The demo: counts lines and words of the files below a folder, in one workflow. */
@NullMarked
package dev.windrow.cli.demo;

import org.jspecify.annotations.NullMarked;
