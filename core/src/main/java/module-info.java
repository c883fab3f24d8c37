/** Windrow's values, store interface and engine. */
@SuppressWarnings("module") // the stores are built after this module
module dev.windrow.core {
    requires transitive org.slf4j;
    requires static transitive org.jspecify;
    requires transitive java.sql;

    exports dev.windrow;
    exports dev.windrow.store;
    exports dev.windrow.store.sql to
            dev.windrow.sqlite,
            dev.windrow.postgres;
    exports dev.windrow.engine;

    uses dev.windrow.PayloadCodec;
}
