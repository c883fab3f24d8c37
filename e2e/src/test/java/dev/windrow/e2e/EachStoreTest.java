package dev.windrow.e2e;

import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The common part of tests that run on each store. */
@ParameterizedClass(name = "{0}")
@EnumSource(StoreKind.class)
abstract class EachStoreTest extends PageTest {
    @Parameter
    StoreKind kind;

    @Override
    final StoreKind kind() {
        return kind;
    }
}
