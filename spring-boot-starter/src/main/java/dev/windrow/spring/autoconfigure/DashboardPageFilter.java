package dev.windrow.spring.autoconfigure;

import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.AccessPolicy;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Shows the page of the dashboard only to users who have a permission. The API checks each request by itself. */
final class DashboardPageFilter implements Filter {
    private final AccessPolicy policy;
    private final String path;

    DashboardPageFilter(AccessPolicy policy, String path) {
        this.policy = policy;
        this.path = path;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest http && isPage(http)) {
            Access access = policy.of(http);
            if (access.actor() == null || access.permissions().isEmpty()) {
                ((HttpServletResponse) response)
                        .sendError(
                                access.actor() == null
                                        ? HttpServletResponse.SC_UNAUTHORIZED
                                        : HttpServletResponse.SC_FORBIDDEN);
                return;
            }
        }
        chain.doFilter(request, response);
    }

    private boolean isPage(HttpServletRequest request) {
        String below =
                request.getRequestURI().substring(request.getContextPath().length() + path.length());
        return !below.startsWith("/api/") && !below.startsWith("/health/");
    }
}
