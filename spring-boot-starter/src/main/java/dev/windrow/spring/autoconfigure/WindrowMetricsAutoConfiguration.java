package dev.windrow.spring.autoconfigure;

import dev.windrow.Windrow;
import dev.windrow.telemetry.WindrowMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@link WindrowMetrics}, which Spring Boot binds to the registries of Micrometer. */
@AutoConfiguration(after = WindrowAutoConfiguration.class)
@ConditionalOnClass({MeterRegistry.class, WindrowMetrics.class})
@ConditionalOnBean(Windrow.class)
@ConditionalOnProperty(name = "windrow.metrics.enabled", matchIfMissing = true)
public class WindrowMetricsAutoConfiguration {
    /** The configuration is made by Spring. */
    WindrowMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    WindrowMetrics windrowMetrics(Windrow windrow) {
        return new WindrowMetrics(windrow);
    }
}
