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
 * Runs all tests of the class and of its subclasses once on each store. A field of type {@link StoreKind} gets the store. The JDK of the build runs
 * them on a file. The newer JDK of the same build ({@code -Dnewer.jdk}) runs them on PostgreSQL, and so only on the newest PostgreSQL. {@code
 * -Dtest.stores=SQLITE,POSTGRES} and {@code -Psoak} run both with the JDK of the build.
 *
 * <p>For classes for which another JDK brings no new result. The contracts, most tests of the engine and {@code KillStormTest} run on both stores in
 * every build.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass(name = "{0}")
@ArgumentsSource(OnceOnEachStore.Stores.class)
public @interface OnceOnEachStore {
    /** The stores that the property {@code windrow.stores} names, default both. */
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
