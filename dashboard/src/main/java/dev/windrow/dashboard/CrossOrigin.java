package dev.windrow.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses changes that a browser sends from a page of another origin, with the credentials of its user. Programs other than browsers send none of the
 * headers, and pass.
 */
final class CrossOrigin {
    private CrossOrigin() {}

    static void check(HttpServletRequest request, Set<String> trusted) {
        String origin = request.getHeader("Origin");
        if (origin != null && trusted.contains(origin)) {
            return;
        }
        String site = request.getHeader("Sec-Fetch-Site");
        boolean allowed = site != null
                ? site.equals("same-origin") || site.equals("none")
                : origin == null || isHost(origin, request.getHeader("Host"));
        if (!allowed) {
            throw new Problem(
                    ProblemKind.CROSS_ORIGIN,
                    "a change by a page of another origin (%s) is not allowed; open the page from this server, or add its origin to the trusted ones"
                            .formatted(Problem.shortened(origin == null ? "Sec-Fetch-Site: " + site : origin)));
        }
    }

    private static boolean isHost(String origin, @Nullable String host) {
        int at = origin.indexOf("://");
        return at > 0 && host != null && origin.substring(at + "://".length()).equalsIgnoreCase(host);
    }
}
