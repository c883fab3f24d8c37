package dev.windrow.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.Permission;
import dev.windrow.dashboard.Role;
import dev.windrow.spring.autoconfigure.WindrowProperties.Dashboard;
import dev.windrow.spring.autoconfigure.WindrowProperties.Dashboard.DashboardAccess;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;

/** The permissions of users by their authorities. */
class AuthoritiesPolicyTest {
    private final AuthoritiesPolicy policy = new AuthoritiesPolicy(new Dashboard(
            true,
            "/windrow",
            DashboardAccess.AUTHORITIES,
            List.of("ROLE_STAFF", "view"),
            List.of("ROLE_OPS"),
            List.of("ROLE_ROOT"),
            null));

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    private Access access(Authentication user) {
        SecurityContextHolder.getContext().setAuthentication(user);
        return policy.of(new MockHttpServletRequest());
    }

    private Set<Permission> permissions(String... authorities) {
        Access access = access(new TestingAuthenticationToken("olga", "", authorities));
        assertThat(access.actor()).isEqualTo("olga");
        return access.permissions();
    }

    @Test
    void theHighestRoleOfTheAuthoritiesCounts() {
        assertThat(permissions("ROLE_STAFF")).isEqualTo(Role.VIEWER.permissions());
        assertThat(permissions("view")).isEqualTo(Role.VIEWER.permissions());
        assertThat(permissions("view", "ROLE_OPS")).isEqualTo(Role.OPERATOR.permissions());
        assertThat(permissions("ROLE_OPS", "ROLE_ROOT", "view")).isEqualTo(Role.ADMIN.permissions());
        assertThat(permissions("ROLE_WINDROW_ADMIN", "STAFF")).isEmpty();
        assertThat(permissions()).isEmpty();
    }

    @Test
    void withoutALoginThereIsNoUser() {
        assertThat(policy.of(new MockHttpServletRequest()).actor()).isNull();
        TestingAuthenticationToken unproven = new TestingAuthenticationToken("olga", "");
        unproven.setAuthenticated(false);
        assertThat(access(unproven).actor()).isNull();
        assertThat(access(new AnonymousAuthenticationToken(
                                "key", "anonymous", AuthorityUtils.createAuthorityList("ROLE_ROOT")))
                        .actor())
                .isNull();
    }
}
