/** The contract that every store must keep. Authors of stores use it on the class path: it exports nothing, because the store interface is internal. */
@SuppressWarnings("opens") // The engine of JUnit finds the tests by reflection.
open module dev.windrow.contract {
    requires transitive dev.windrow.core;
    requires transitive dev.windrow.testkit;
    requires transitive org.junit.jupiter.api;
    requires transitive org.assertj.core;
    requires static org.jspecify;
}
