package dev.windrow.cli.demo;

import dev.windrow.JobRef;
import dev.windrow.JobType;

/** The jobs of the demo's workflow: one scan, then one for each file, then the report that depends on all of them. */
final class DemoTypes {
    static final JobType<Scan, Scanned> SCAN = JobType.of("demo.scan", Scan.class, Scanned.class);
    static final JobType<OneFile, FileCount> FILE = JobType.of("demo.file", OneFile.class, FileCount.class);
    static final JobType<Report, Tally> REPORT = JobType.of("demo.report", Report.class, Tally.class);

    private DemoTypes() {}

    /**
     * What to scan.
     *
     * @param folder the folder, as a URI
     * @param sourcesOnly whether hidden folders and build output are left out
     */
    record Scan(String folder, boolean sourcesOnly) {}

    /**
     * What was found.
     *
     * @param files how many files
     * @param unreadableFolders how many folders could not be looked into
     * @param reportJob the job that reports on all files; ids are text outside
     */
    record Scanned(long files, long unreadableFolders, String reportJob) {
        JobRef<Tally> report() {
            return REPORT.ref(Long.parseLong(reportJob));
        }
    }

    /**
     * One file.
     *
     * @param file its path as a URI: names on Linux are bytes, which text cannot always hold and a URI can
     */
    record OneFile(String file) {}

    /**
     * The report on the jobs that this one depends on.
     *
     * @param words how many frequent words to keep
     */
    record Report(int words) {}
}
