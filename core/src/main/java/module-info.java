/** Windrow's values, store interface and engine. */
module dev.windrow.core {
    requires transitive org.slf4j;
    requires static transitive org.jspecify;
    requires transitive java.sql;

    exports dev.windrow;
    exports dev.windrow.store;
    exports dev.windrow.engine;

    uses dev.windrow.PayloadCodec;
}
