package dev.windrow.spring.autoconfigure;

import dev.windrow.Windrow;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Auto-configuration of the health indicator. Its class is one of the few that Spring Boot 4 has moved. */
@AutoConfiguration(after = WindrowAutoConfiguration.class)
@ConditionalOnBean({Windrow.class, WindrowProperties.class})
@Conditional(WindrowHealthAutoConfiguration.OnEnabledHealth.class)
public class WindrowHealthAutoConfiguration {
    private static final String INDICATOR = "windrowHealthIndicator";

    /** The configuration is made by Spring. */
    WindrowHealthAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
    static class Boot3 {
        @Bean(INDICATOR)
        @ConditionalOnMissingBean(name = INDICATOR)
        Boot3HealthIndicator windrowHealthIndicator(Windrow windrow, WindrowProperties properties) {
            return new Boot3HealthIndicator(new WindrowHealth(windrow, properties.health()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    static class Boot4 {
        @Bean(INDICATOR)
        @ConditionalOnMissingBean(name = INDICATOR)
        Boot4HealthIndicator windrowHealthIndicator(Windrow windrow, WindrowProperties properties) {
            return new Boot4HealthIndicator(new WindrowHealth(windrow, properties.health()));
        }
    }

    /** The condition of Spring Boot's own indicators, which is in a class that moved. */
    static final class OnEnabledHealth implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            Environment environment = context.getEnvironment();
            boolean all = environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
            return environment.getProperty("management.health.windrow.enabled", Boolean.class, all);
        }
    }
}
