/**
 * The HTTP API of Windrow: {@link dev.windrow.dashboard.DashboardServlet}, for any container of Jakarta Servlet 6.0 or later.
 *
 * <p>Every value is immutable and safe for use by many threads.
 */
@NullMarked
package dev.windrow.dashboard;

import org.jspecify.annotations.NullMarked;
