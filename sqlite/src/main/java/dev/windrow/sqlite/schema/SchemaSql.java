package dev.windrow.sqlite.schema;

/** The statements by which a process notices a commit of another one, and a newer schema. Written like those in {@link dev.windrow.sqlite.job.JobSql}. */
public final class SchemaSql {
    private SchemaSql() {}

    /** Changes with each commit of any other connection. */
    public static final String DATA_VERSION = "PRAGMA data_version";

    /** The oldest version of the code that may use the file, and the file's own; by primary key. */
    public static final String MIN_COMPATIBLE = """
            SELECT min_compatible, version FROM windrow_schema WHERE version = (SELECT max(version) FROM windrow_schema)
            """;

    /** The same with its name, and which copy has filled the file last, if one has; by primary key. */
    public static final String SCHEMA_STATE = """
            SELECT min_compatible, version, name, (SELECT name FROM windrow_schema WHERE version = 0)
              FROM windrow_schema WHERE version = (SELECT max(version) FROM windrow_schema)
            """;
}
