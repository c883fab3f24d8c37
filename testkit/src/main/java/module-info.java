/** Test support: tests of handlers, a clock driven by hand, and the contract that every store must keep. */
@SuppressWarnings("opens") // The engine of JUnit finds the tests by reflection.
open module dev.windrow.testkit {
    requires transitive dev.windrow.core;
    requires transitive org.junit.jupiter.api;
    requires transitive org.assertj.core;
    requires static org.jspecify;

    exports dev.windrow.testkit;

    uses dev.windrow.store.TestStores;
}
