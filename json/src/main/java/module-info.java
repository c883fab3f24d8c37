/** The default payload codec of Windrow, with Jackson 3. */
module dev.windrow.json {
    requires transitive dev.windrow.core;
    requires static transitive org.jspecify;
    requires transitive tools.jackson.databind;

    exports dev.windrow.json;

    provides dev.windrow.payload.PayloadCodec with
            dev.windrow.json.JacksonCodec;
}
