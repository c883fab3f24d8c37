/** The demo: thumbnails of a folder of pictures. */
@NullMarked
package dev.windrow.cli.demo;

import org.jspecify.annotations.NullMarked;
