package dev.windrow.tests.stores;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * All tests of the class, and of those that extend it, run once on each store, which is given to a field of type {@link StoreKind}: on a file by the JDK of the build, on
 * PostgreSQL by the newer JDK of the same build ({@code -Dnewer.jdk}), and so on the newest PostgreSQL alone. {@code -Dtest.stores=SQLITE,POSTGRES} runs both by the JDK of the build, and so
 * does {@code -Psoak}.
 *
 * <p>For a class about which another JDK tells nothing new. The contracts, most tests of the engine and {@code KillStormTest} run on both stores in every build.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass(name = "{0}")
@ArgumentsSource(OnceOnEachStore.Stores.class)
public @interface OnceOnEachStore {
    /** The stores that the property {@code windrow.stores} names; default: both. */
    final class Stores implements ArgumentsProvider {
        @Override
        public Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context) {
            String named = System.getProperty("windrow.stores");
            return (named == null
                            ? Arrays.stream(StoreKind.values())
                            : Arrays.stream(named.split(",", -1)).map(StoreKind::valueOf))
                    .map(Arguments::of);
        }
    }
}
