package dev.windrow.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The CSRF tokens of a framework around the {@link DashboardServlet}, such as Spring Security, which refuses changes without one. The page gets the
 * token with its first answer of the API, and sends it with each change. Called by many threads at once.
 */
@FunctionalInterface
public interface CsrfTokens {
    /** Returns the header that a change of this sender needs; null if it needs none. */
    @Nullable Header of(HttpServletRequest request);

    /**
     * A header of a request.
     *
     * @param name the name, such as {@code X-CSRF-TOKEN}
     * @param token the value
     */
    record Header(String name, String token) {}
}
