/** The queries of the store interface: requests for pages, their access paths and walks. */
@NullMarked
package dev.windrow.store.query;

import org.jspecify.annotations.NullMarked;
