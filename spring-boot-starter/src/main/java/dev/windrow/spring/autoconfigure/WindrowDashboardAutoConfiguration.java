package dev.windrow.spring.autoconfigure;

import dev.windrow.Windrow;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.AccessPolicy;
import dev.windrow.dashboard.CsrfTokens;
import dev.windrow.dashboard.DashboardOptions;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.dashboard.Role;
import dev.windrow.spring.autoconfigure.WindrowProperties.Dashboard.DashboardAccess;
import jakarta.servlet.http.HttpServlet;
import java.security.Principal;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.csrf.CsrfToken;

/** Auto-configuration of the {@link DashboardServlet}. */
@AutoConfiguration(after = WindrowAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({HttpServlet.class, ServletRegistrationBean.class, DashboardServlet.class})
@ConditionalOnBean({Windrow.class, WindrowProperties.class})
@ConditionalOnProperty(name = "windrow.dashboard.enabled", havingValue = "true")
public class WindrowDashboardAutoConfiguration {
    /** The configuration is made by Spring. */
    WindrowDashboardAutoConfiguration() {}

    /** Returns the path without a slash at its end. */
    private static String path(WindrowProperties properties) {
        String path = properties.dashboard().path();
        if (!path.matches("(/[A-Za-z0-9._~-]+)+")) {
            throw new InvalidWindrowPropertyException(
                    "Property 'windrow.dashboard.path' with value '%s' is not allowed".formatted(path),
                    "Set 'windrow.dashboard.path' to a path that begins with a slash and does not end with one, such as /windrow.",
                    null);
        }
        return path;
    }

    @Bean
    @ConditionalOnMissingBean
    DashboardOptions windrowDashboardOptions(WindrowProperties properties, ObjectProvider<CsrfTokens> csrf) {
        DashboardOptions[] options = {DashboardOptions.DEFAULTS};
        String label = properties.dashboard().label();
        if (label != null) {
            InvalidWindrowPropertyException.apply(
                    "windrow.dashboard.label", label, () -> options[0] = options[0].withLabel(label));
        }
        csrf.ifAvailable(token -> options[0] = options[0].withCsrfToken(token));
        return options[0];
    }

    @Bean
    ServletRegistrationBean<DashboardServlet> windrowDashboard(
            Windrow windrow, AccessPolicy policy, DashboardOptions options, WindrowProperties properties) {
        ServletRegistrationBean<DashboardServlet> registration =
                new ServletRegistrationBean<>(new DashboardServlet(windrow, policy, options), path(properties) + "/*");
        registration.setName("windrowDashboard");
        return registration;
    }

    /** Runs after the filters of Spring Security. */
    @Bean
    FilterRegistrationBean<DashboardPageFilter> windrowDashboardPages(
            AccessPolicy policy, WindrowProperties properties) {
        String path = path(properties);
        FilterRegistrationBean<DashboardPageFilter> registration =
                new FilterRegistrationBean<>(new DashboardPageFilter(policy, path));
        registration.setName("windrowDashboardPages");
        registration.addUrlPatterns(path + "/*");
        return registration;
    }

    private static boolean isReadOnly(WindrowProperties properties) {
        return properties.dashboard().access() == DashboardAccess.READ_ONLY;
    }

    /** Returns the policy by which every visitor may look. */
    private static AccessPolicy readOnly() {
        return request -> {
            Principal user = request.getUserPrincipal();
            return Access.of(user == null ? "anonymous" : user.getName(), Role.VIEWER);
        };
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({SecurityContextHolder.class, CsrfToken.class})
    @Order(0)
    static class WithSpringSecurity {
        @Bean
        @ConditionalOnMissingBean
        AccessPolicy windrowAccessPolicy(WindrowProperties properties) {
            return isReadOnly(properties) ? readOnly() : new AuthoritiesPolicy(properties.dashboard());
        }

        @Bean
        DashboardCsrf windrowDashboardCsrf() {
            return new DashboardCsrf();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Order(1)
    static class WithoutSpringSecurity {
        @Bean
        @ConditionalOnMissingBean
        AccessPolicy windrowAccessPolicy(WindrowProperties properties) {
            if (!isReadOnly(properties)) {
                throw new InvalidWindrowPropertyException(
                        "Property 'windrow.dashboard.access' with value 'authorities' is not possible: the application has no Spring Security, which knows the users",
                        "Add spring-boot-starter-security. Or declare a bean of the type AccessPolicy. Or set 'windrow.dashboard.access' to read-only: then every visitor of '%s' sees jobs, and none changes them."
                                .formatted(properties.dashboard().path()),
                        null);
            }
            return readOnly();
        }
    }
}
