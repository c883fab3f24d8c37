package dev.windrow.cli;

import dev.windrow.Diagnosis;
import java.util.Map;

/** What to do about a check of the doctor that has failed. It is said, and never done unasked. */
final class Remedies {
    private static final String BY_HAND =
            "somebody wrote into the tables by hand, or a copy is damaged: undo that, or restore a backup";
    private static final String OTHERWISE = "see docs/cli.md for what it compares";

    private static final Map<String, String> OF = Map.ofEntries(
            Map.entry(
                    "schema",
                    "older than this program: a worker, or any command that changes something, migrates it; newer: use the newer program; closed, or a copy that is not finished: see 'copy' in docs/cli.md; no schema: name another file or database"),
            Map.entry("settings", "a worker, or any command that changes something, sets what is not as it should be"),
            Map.entry(
                    "write-ahead-log",
                    "end the long read, or the process that makes it; then the log is cut by itself"),
            Map.entry("disk-space", "make room on the disk of the file"),
            Map.entry("write-lock", "end the transaction of the process that holds it, or that process"),
            Map.entry(
                    "plans",
                    "an index was dropped, or ANALYZE misleads: make it again as in the migrations, or drop the table sqlite_stat1"),
            Map.entry("leases", "start a worker, which takes such jobs back: windrow work"),
            Map.entry(
                    "schedules",
                    "say the schedule anew: windrow schedule add NAME ...; or read the worker's log, if it makes no jobs"),
            Map.entry(
                    "integrity",
                    "stop the workers and keep a copy first; then restore a backup, or recover what can be read (sqlite3 FILE .recover; REINDEX on a server)"),
            Map.entry("indexes", "build it again: REINDEX INDEX CONCURRENTLY, or as in the migrations"),
            Map.entry(
                    "ids",
                    "set the sequences beyond the largest numbers in use; somebody wrote by hand, or they were not restored"),
            Map.entry("foreign-keys", BY_HAND),
            Map.entry("orphans", BY_HAND),
            Map.entry("counters", "sums of failures: 'windrow cleanup' puts them right; other counters: " + BY_HAND),
            Map.entry("edges", "of jobs that wait for each other: 'windrow cancel' one of them; others: " + BY_HAND),
            Map.entry("states", BY_HAND),
            Map.entry("controls", "say it anew, which sets it right: windrow pause, resume or limit"),
            Map.entry("attempts", BY_HAND));

    private Remedies() {}

    static String of(Diagnosis.Check check) {
        if (check.detail().contains(" is not a SQLite database: ")) {
            return "name the file of the queue with --db; if this was it, keep a copy of it and restore a backup";
        }
        // What a check would say is wrong is not known, so what would mend it is of no use.
        if (check.detail().startsWith("not checked: ")) {
            return "see to 'schema' first; then examine it again";
        }
        if (check.detail().startsWith("could not be checked: ") && !check.name().equals("integrity")) {
            return "see to what has kept it from being checked (missing permissions; of damage see 'integrity'); then examine it again";
        }
        return OF.getOrDefault(check.name(), OTHERWISE);
    }
}
