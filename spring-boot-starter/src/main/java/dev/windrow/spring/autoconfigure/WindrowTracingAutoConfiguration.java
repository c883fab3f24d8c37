package dev.windrow.spring.autoconfigure;

import dev.windrow.monitor.Tracing;
import dev.windrow.telemetry.WindrowTracing;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@link WindrowTracing}, with the OpenTelemetry of the application. */
@AutoConfiguration(
        before = WindrowAutoConfiguration.class,
        afterName = {
            // Boot 3.5, and Boot 4.
            "org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration",
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration"
        })
@ConditionalOnClass({OpenTelemetry.class, WindrowTracing.class})
@ConditionalOnBean(OpenTelemetry.class)
@ConditionalOnProperty(
        name = {"windrow.enabled", "windrow.tracing.enabled"},
        matchIfMissing = true)
public class WindrowTracingAutoConfiguration {
    /** The configuration is made by Spring. */
    WindrowTracingAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(Tracing.class)
    WindrowTracing windrowTracing(OpenTelemetry telemetry) {
        return WindrowTracing.of(telemetry);
    }
}
