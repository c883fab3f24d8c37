package dev.windrow.spring;

import dev.windrow.Windrow;

/**
 * Changes the settings of the {@link Windrow} that the auto-configuration opens. Called in the order of the beans, after the properties and the beans
 * of the context have been applied.
 */
@FunctionalInterface
public interface WindrowBuilderCustomizer {
    /** Changes the settings. */
    void customize(Windrow.Builder builder);
}
