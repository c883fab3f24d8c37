package dev.windrow.spring.autoconfigure;

import static dev.windrow.spring.autoconfigure.InvalidWindrowPropertyException.apply;

import dev.windrow.Durations;
import dev.windrow.Store;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.monitor.Tracing;
import dev.windrow.monitor.WindrowListener;
import dev.windrow.payload.BlobFiles;
import dev.windrow.payload.PayloadCodec;
import dev.windrow.retention.DeadLetterRetry;
import dev.windrow.retention.JobArchive;
import dev.windrow.spring.WindrowBuilderCustomizer;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@link Windrow}. */
@AutoConfiguration(
        afterName = {
            // Boot 3.5, and Boot 4.
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.JndiDataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.XADataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration"
        })
@ConditionalOnProperty(name = "windrow.enabled", matchIfMissing = true)
@EnableConfigurationProperties(WindrowProperties.class)
public class WindrowAutoConfiguration {
    /** The configuration is made by Spring. */
    WindrowAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(Windrow.class)
    @DependsOnDatabaseInitialization
    ChosenStore windrowStore(
            WindrowProperties properties,
            ListableBeanFactory beans,
            ObjectProvider<Store> given,
            ObjectProvider<DataSource> sources) {
        Store store = given.getIfUnique();
        return store != null
                ? new ChosenStore(store, sources.getIfUnique())
                : new StoreChoice(properties, beans).choose();
    }

    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    Windrow windrow(
            ChosenStore store,
            WindrowProperties properties,
            ObjectProvider<PayloadCodec> codec,
            ObjectProvider<TimeSource> time,
            ObjectProvider<Tracing> tracing,
            ObjectProvider<BlobFiles> blobs,
            ObjectProvider<JobArchive> archive,
            ObjectProvider<DeadLetterRetry> retries,
            ObjectProvider<WindrowListener> listeners,
            ObjectProvider<WindrowBuilderCustomizer> customizers) {
        Windrow.Builder builder = Windrow.configure(store.store());
        codec.ifUnique(builder::codec);
        time.ifUnique(builder::time);
        tracing.ifUnique(builder::tracing);
        blobs.ifUnique(builder::blobFiles);
        archive.ifUnique(builder::archive);
        retries.orderedStream().forEach(builder::deadLetterRetry);
        listeners.orderedStream().forEach(builder::listener);
        WindrowProperties.Retention retention = properties.retention();
        apply(
                "windrow.retention.every",
                Durations.text(retention.every()),
                () -> builder.retentionEvery(retention.every()));
        if (!retention.enabled()) {
            builder.withoutRetention();
        }
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        return builder.open();
    }

    /** Opens the store at the start also if beans are lazy: a wrong setting is found then, and background tasks run. */
    @Bean
    static LazyInitializationExcludeFilter eagerWindrow() {
        return LazyInitializationExcludeFilter.forBeanTypes(Windrow.class);
    }
}
