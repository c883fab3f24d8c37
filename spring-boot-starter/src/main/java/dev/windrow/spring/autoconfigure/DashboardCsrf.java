package dev.windrow.spring.autoconfigure;

import dev.windrow.dashboard.CsrfTokens;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;

/** Hands the CSRF token of Spring Security to the page, so that the protection stays on. */
final class DashboardCsrf implements CsrfTokens {
    @Override
    public @Nullable Header of(HttpServletRequest request) {
        return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                ? new Header(token.getHeaderName(), token.getToken())
                : null;
    }
}
