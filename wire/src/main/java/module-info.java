/** The JSON forms of jobs and of all other resources of Windrow. */
module dev.windrow.wire {
    requires transitive dev.windrow.core;
    requires static transitive org.jspecify;
    requires transitive tools.jackson.core;

    exports dev.windrow.wire;
}
