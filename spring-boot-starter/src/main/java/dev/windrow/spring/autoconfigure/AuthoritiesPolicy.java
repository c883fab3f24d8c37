package dev.windrow.spring.autoconfigure;

import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.AccessPolicy;
import dev.windrow.dashboard.Role;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;

/** Gives the users of Spring Security the role of their authorities, the highest one. A user without one may do nothing. */
final class AuthoritiesPolicy implements AccessPolicy {
    private final WindrowProperties.Dashboard settings;

    AuthoritiesPolicy(WindrowProperties.Dashboard settings) {
        this.settings = settings;
    }

    @Override
    public Access of(HttpServletRequest request) {
        Authentication user = SecurityContextHolder.getContext().getAuthentication();
        if (user == null || !user.isAuthenticated() || user instanceof AnonymousAuthenticationToken) {
            return Access.anonymous("Basic realm=\"windrow\"");
        }
        Set<String> authorities = user.getAuthorities().stream()
                .map(GrantedAuthority::getAuthority)
                .collect(Collectors.toSet());
        if (isAny(authorities, settings.admin())) {
            return Access.of(user.getName(), Role.ADMIN);
        }
        if (isAny(authorities, settings.operator())) {
            return Access.of(user.getName(), Role.OPERATOR);
        }
        return isAny(authorities, settings.viewer())
                ? Access.of(user.getName(), Role.VIEWER)
                : Access.of(user.getName(), Set.of());
    }

    private static boolean isAny(Set<String> authorities, List<String> named) {
        return named.stream().anyMatch(authorities::contains);
    }
}
