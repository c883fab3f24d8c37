package dev.windrow.spring.autoconfigure;

import dev.windrow.Windrow;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@link WindrowEndpoint}. */
@AutoConfiguration(after = {WindrowAutoConfiguration.class, WindrowWorkerAutoConfiguration.class})
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(Windrow.class)
@ConditionalOnAvailableEndpoint(endpoint = WindrowEndpoint.class)
public class WindrowEndpointAutoConfiguration {
    /** The configuration is made by Spring. */
    WindrowEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    WindrowEndpoint windrowEndpoint(Windrow windrow, ObjectProvider<WindrowWorkerLifecycle> worker) {
        return new WindrowEndpoint(windrow, worker);
    }
}
