package dev.windrow.cli.demo;

import dev.windrow.Handler;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.Windrow;
import dev.windrow.cli.database.OwnFiles;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.query.JobFilter;
import dev.windrow.workflow.ParentPolicy;
import java.io.IOException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The handler of the demo's first job: finds the files, enqueues one job for each, and the report that depends on all
 * of them.
 *
 * <p>It may run again after a crash, so it must not enqueue twice. All file jobs are enqueued in one transaction and
 * have a tag that names this scan: a second run finds either none of them or all. The same holds for the report, one
 * step later. A worker that continues a scan after it has lost the lease could still enqueue at the same moment. A
 * dedupe key would prevent that.
 */
final class DemoScan implements Handler<DemoTypes.Scan, DemoTypes.Scanned> {
    /** The largest number of files of one report. A report on more files combines reports on this many each. */
    private static final int REPORT_LIMIT = 50_000;

    private static final int LONGEST_NAME = 200;
    private static final int NAMED = 100;

    private final Windrow windrow;
    private final OwnFiles own;

    DemoScan(Windrow windrow, OwnFiles own) {
        this.windrow = windrow;
        this.own = own;
    }

    @Override
    public DemoTypes.Scanned handle(DemoTypes.Scan scan, JobContext job) throws Exception {
        Path root = Path.of(URI.create(scan.folder()));
        Walk walk = new Walk(scan.sourcesOnly(), root, own.keys());
        List<JobRef<?>> files = enqueued(DemoTypes.FILE, fileTag(job.id()));
        if (files.isEmpty()) {
            walk.run();
            if (walk.unreadable > 0) {
                job.output(walk.said.toString());
            }
            List<JobRequest<?, ?>> jobs = new ArrayList<>();
            for (Path file : walk.files) {
                jobs.add(DemoTypes.FILE
                        .job(new DemoTypes.OneFile(file.toUri().toString()))
                        .withName(name(root, file))
                        .withTags(fileTag(job.id())));
            }
            files = enqueueAll(windrow, jobs);
        }
        // A separate tag, so that it is found fast among a hundred thousand files.
        String reportTag = "demo-report-" + job.id();
        List<JobRef<?>> reports = enqueued(DemoTypes.REPORT, reportTag);
        JobRef<?> last = reports.isEmpty() ? enqueueReport(files, reportTag) : reports.get(0);
        return new DemoTypes.Scanned(files.size(), walk.unreadable, Long.toString(last.id()));
    }

    /** Returns the tag of the file jobs of a scan. */
    static String fileTag(long scanJob) {
        return "demo-files-" + scanJob;
    }

    /** Returns the jobs that an earlier attempt has enqueued, newest first. */
    private List<JobRef<?>> enqueued(JobType<?, ?> type, String tag) {
        JobFilter filter = JobFilter.ALL.withType(type.name()).withTags(List.of(tag));
        List<JobRef<?>> found = new ArrayList<>();
        windrow.jobs(filter).newestFirst().forEach(each -> found.add(type.ref(each.id())));
        return found;
    }

    /**
     * Enqueues the report. Files that cannot be read do not block it (policy run). Reports on batches have no tag.
     * The tag marks the last report; without it an interrupted scan begins with the batches again.
     */
    private JobRef<?> enqueueReport(List<JobRef<?>> files, String tag) {
        List<JobRef<?>> below = files;
        ParentPolicy policy = ParentPolicy.RUN;
        if (files.size() > REPORT_LIMIT) {
            List<JobRequest<?, ?>> parts = new ArrayList<>();
            for (int from = 0; from < files.size(); from += REPORT_LIMIT) {
                List<JobRef<?>> some = files.subList(from, Math.min(files.size(), from + REPORT_LIMIT));
                parts.add(report(FileCounter.WORDS, some, policy).withName("report on a part"));
            }
            below = enqueueAll(windrow, parts);
            policy = ParentPolicy.WAIT;
        }
        return windrow.enqueue(
                report(DemoReport.WORDS, below, policy).withName("report").withTags(tag));
    }

    private static JobRequest<DemoTypes.Report, Tally> report(int words, List<JobRef<?>> parents, ParentPolicy policy) {
        return DemoTypes.REPORT.job(new DemoTypes.Report(words)).withParents(policy, parents);
    }

    private static List<JobRef<?>> enqueueAll(Jobs jobs, List<JobRequest<?, ?>> all) {
        List<JobRef<?>> refs = new ArrayList<>();
        if (!all.isEmpty()) {
            jobs.enqueueAll(all).forEach(each -> refs.add(each));
        }
        return refs;
    }

    private static String name(Path root, Path file) {
        return TerminalText.clipStart(TerminalText.oneLine(root.relativize(file).toString()), LONGEST_NAME);
    }

    /** Collects regular files below a folder; symbolic links are not followed. */
    private static final class Walk extends SimpleFileVisitor<Path> {
        private static final Set<String> BUILD_OUTPUT = Set.of("target", "node_modules");

        private final boolean sourcesOnly;
        private final Path root;
        private final Set<Object> own;
        private final List<Path> files = new ArrayList<>();
        private final StringBuilder said = new StringBuilder();
        private long unreadable;

        Walk(boolean sourcesOnly, Path root, Set<Object> own) {
            this.sourcesOnly = sourcesOnly;
            this.root = root;
            this.own = own;
        }

        void run() throws IOException {
            if (!Files.isDirectory(root)) {
                throw JobFailure.permanent("RESOURCE:UNREADABLE", root + " is not a folder");
            }
            Files.walkFileTree(root, this);
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean skipped = own.contains(OwnFiles.key(folder, attributes));
            if (sourcesOnly && !folder.equals(root)) {
                String name = String.valueOf(folder.getFileName());
                skipped |= name.startsWith(".") || BUILD_OUTPUT.contains(name);
            }
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile() && !own.contains(OwnFiles.key(file, attributes))) {
                files.add(file);
            }
            return Thread.currentThread().isInterrupted() ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path folder, IOException e) {
            unreadable(folder, e);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) {
            if (e != null) {
                unreadable(folder, e); // its listing broke off
            }
            return FileVisitResult.CONTINUE;
        }

        private void unreadable(Path folder, IOException e) {
            unreadable++;
            if (unreadable <= NAMED) {
                String why = e instanceof AccessDeniedException ? "permission denied" : String.valueOf(e);
                said.append("cannot read %s: %s%n"
                        .formatted(
                                TerminalText.oneLine(folder.toString()),
                                TerminalText.clip(TerminalText.oneLine(why), LONGEST_NAME)));
            }
        }
    }
}
