/** Test support for applications: tests of handlers, and a clock driven by hand. */
module dev.windrow.testkit {
    requires transitive dev.windrow.core;
    requires transitive org.junit.jupiter.api;
    requires transitive org.assertj.core;
    requires static org.jspecify;

    exports dev.windrow.testkit;

    uses dev.windrow.store.TestStores;
}
