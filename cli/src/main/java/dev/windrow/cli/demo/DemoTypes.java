package dev.windrow.cli.demo;

import dev.windrow.JobRef;
import dev.windrow.JobType;

/** The jobs of the demo: one scan, then one for each file, then the report that depends on all of them. */
final class DemoTypes {
    static final JobType<Scan, Scanned> SCAN = JobType.of("demo.scan", Scan.class, Scanned.class);
    static final JobType<OneFile, FileCount> FILE = JobType.of("demo.file", OneFile.class, FileCount.class);
    static final JobType<Report, Tally> REPORT = JobType.of("demo.report", Report.class, Tally.class);

    private DemoTypes() {}

    /**
     * The input of the scan.
     *
     * @param folder the folder, as a URI
     * @param sourcesOnly true to leave out hidden folders and build output
     */
    record Scan(String folder, boolean sourcesOnly) {}

    /**
     * The result of the scan.
     *
     * @param files the number of files
     * @param unreadableFolders the number of folders that could not be read
     * @param reportJob the job that reports on all files; outside of Java ids are text
     */
    record Scanned(long files, long unreadableFolders, String reportJob) {
        JobRef<Tally> report() {
            return REPORT.ref(Long.parseLong(reportJob));
        }
    }

    /**
     * The input of the job of one file.
     *
     * @param file its path as a URI. File names on Linux are bytes, which text cannot always represent and a URI can.
     */
    record OneFile(String file) {}

    /**
     * The input of the report on the jobs that this one depends on.
     *
     * @param words the number of frequent words to keep
     */
    record Report(int words) {}
}
