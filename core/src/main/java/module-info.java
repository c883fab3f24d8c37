/** Windrow's values, store interface and engine. */
@SuppressWarnings("module") // the stores are built after this module
module dev.windrow.core {
    requires transitive org.slf4j;
    requires static transitive com.google.errorprone.annotations;
    requires static transitive org.jspecify;
    requires transitive java.sql;

    exports dev.windrow;
    exports dev.windrow.store to
            dev.windrow.sqlite,
            dev.windrow.postgres,
            dev.windrow.testkit;
    exports dev.windrow.store.sql to
            dev.windrow.sqlite,
            dev.windrow.postgres;

    uses dev.windrow.PayloadCodec;
}
