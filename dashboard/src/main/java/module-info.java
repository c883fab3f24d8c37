/** The HTTP API of Windrow, as a servlet. */
module dev.windrow.dashboard {
    requires transitive dev.windrow.core;
    requires transitive dev.windrow.wire;
    requires transitive jakarta.servlet;
    requires static transitive org.jspecify;

    exports dev.windrow.dashboard;
}
