/** Metrics and traces of jobs, for Micrometer and for OpenTelemetry. Each works without the other. */
module dev.windrow.telemetry {
    requires transitive dev.windrow.core;
    requires org.slf4j;
    requires static transitive micrometer.core;
    requires static transitive io.opentelemetry.api;
    requires static io.opentelemetry.context;
    requires static transitive org.jspecify;

    exports dev.windrow.telemetry;
}
