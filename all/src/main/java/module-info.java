/** Windrow with its SQLite store and its JSON codec. */
module dev.windrow {
    requires transitive dev.windrow.core;
    requires transitive dev.windrow.sqlite;
}
