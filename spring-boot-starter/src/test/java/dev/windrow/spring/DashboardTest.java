package dev.windrow.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.dashboard.AccessPolicy;
import dev.windrow.dashboard.DashboardOptions;
import dev.windrow.spring.autoconfigure.WindrowAutoConfiguration;
import dev.windrow.spring.autoconfigure.WindrowDashboardAutoConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** When the dashboard is served, and to whom. The application of spring-boot-tests serves it for real. */
@Tag("once")
class DashboardTest {
    private static final String SERVLET = "windrowDashboard";

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(WindrowAutoConfiguration.class, WindrowDashboardAutoConfiguration.class))
            .withPropertyValues("windrow.sqlite.file=" + Applications.folder().resolve("jobs.db"));

    private WebApplicationContextRunner enabled() {
        return application.withPropertyValues("windrow.dashboard.enabled=true");
    }

    @Test
    void itIsServedOnlyIfThePropertySaysSo() {
        application.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SERVLET));
        enabled().run(context -> assertThat(context).hasNotFailed().hasBean(SERVLET));
    }

    @Test
    void withoutSpringSecurityItMustBeReadOnly() {
        WebApplicationContextRunner without =
                enabled().withClassLoader(new FilteredClassLoader("org.springframework.security"));
        without.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("'windrow.dashboard.access' with value 'authorities' is not possible"));
        without.withPropertyValues("windrow.dashboard.access=read-only")
                .run(context -> assertThat(context).hasNotFailed().hasBean(SERVLET));
    }

    @Test
    void thePolicyAndTheOptionsOfTheApplicationAreTaken() {
        AccessPolicy mine = request -> dev.windrow.dashboard.Access.anonymous();
        enabled()
                .withBean(AccessPolicy.class, () -> mine)
                .run(context -> assertThat(context.getBean(AccessPolicy.class)).isSameAs(mine));
        enabled()
                .withPropertyValues("windrow.dashboard.label=staging")
                .run(context -> assertThat(
                                context.getBean(DashboardOptions.class).label())
                        .isEqualTo("staging"));
    }

    @Test
    void aPathThatCannotBeServedIsRefused() {
        for (String path : new String[] {"windrow", "/windrow/", "/", "/a*"}) {
            enabled()
                    .withPropertyValues("windrow.dashboard.path=" + path)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .hasMessageContaining("'windrow.dashboard.path' with value '%s'", path));
        }
    }
}
