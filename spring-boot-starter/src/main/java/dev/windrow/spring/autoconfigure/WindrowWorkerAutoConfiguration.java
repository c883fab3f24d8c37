package dev.windrow.spring.autoconfigure;

import dev.windrow.HandlerProvider;
import dev.windrow.Middleware;
import dev.windrow.Windrow;
import dev.windrow.spring.WorkerBuilderCustomizer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of the worker. */
@AutoConfiguration(after = {WindrowAutoConfiguration.class, WindrowTransactionAutoConfiguration.class})
@ConditionalOnBean({Windrow.class, WindrowProperties.class})
public class WindrowWorkerAutoConfiguration {
    /** The name of the bean that starts and stops the worker. */
    static final String WORKER = "windrowWorker";

    /** The configuration is made by Spring. */
    WindrowWorkerAutoConfiguration() {}

    @Bean
    ApplicationWorker workerBuilderConfigurer(
            WindrowProperties properties,
            ConfigurableListableBeanFactory beans,
            ObjectProvider<HandlerProvider> providers,
            ObjectProvider<Middleware> middleware,
            ObjectProvider<WorkerBuilderCustomizer> customizers) {
        return new ApplicationWorker(properties.worker(), beans, providers, middleware, customizers);
    }

    @Bean(WORKER)
    @ConditionalOnProperty(name = "windrow.worker.enabled", matchIfMissing = true)
    WindrowWorkerLifecycle windrowWorker(
            Windrow windrow,
            WindrowProperties properties,
            ApplicationWorker application,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        return new WindrowWorkerLifecycle(windrow, properties, application, beans, environment);
    }

    @Bean
    static LazyInitializationExcludeFilter eagerWindrowWorker() {
        return LazyInitializationExcludeFilter.forBeanTypes(WindrowWorkerLifecycle.class);
    }
}
