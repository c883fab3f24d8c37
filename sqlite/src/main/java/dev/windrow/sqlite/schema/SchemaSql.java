package dev.windrow.sqlite.schema;

/**
 * The statements by which a process notices a commit of another one, and a newer schema. Written like the statements in {@link
 * dev.windrow.sqlite.job.JobSql}.
 */
public final class SchemaSql {
    private SchemaSql() {}

    /** A number that changes with each commit of any other connection. */
    public static final String DATA_VERSION = "PRAGMA data_version";

    /** The oldest code version that may use the file, and the file's own version. By primary key. */
    public static final String MIN_COMPATIBLE = """
            SELECT min_compatible, version FROM windrow_schema WHERE version = (SELECT max(version) FROM windrow_schema)
            """;

    /** The same versions, the name of the schema, and the copy that has filled the file last, if any. By primary key. */
    public static final String SCHEMA_STATE = """
            SELECT min_compatible, version, name, (SELECT name FROM windrow_schema WHERE version = 0)
              FROM windrow_schema WHERE version = (SELECT max(version) FROM windrow_schema)
            """;
}
