package dev.windrow.cli.workflow;

import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.Candidates;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.terminal.Values;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobQuery;
import dev.windrow.wire.WorkflowJson;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowInfo;
import dev.windrow.workflow.WorkflowPage;
import dev.windrow.workflow.WorkflowStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code workflow}: counts the jobs of a workflow by state, or lists workflows. */
@Command(
        name = "workflow",
        description = "Counts the jobs of a workflow by state and lists the failed ones, or lists workflows.",
        customSynopsis = {"windrow workflow ID", "       windrow workflow list [OPTIONS]"},
        footer = {
            "",
            "'list' has the newest workflow first. It counts the newest 10000 jobs of each.",
            "",
            "Examples:",
            "  windrow workflow 17",
            "  windrow workflow list --unfinished",
            "  windrow workflow list --failed --type book.import --json"
        })
public final class WorkflowCommand extends CliCommand {
    private static final int SHOWN = 20;

    @Parameters(
            paramLabel = "ID",
            completionCandidates = Candidates.WorkflowWords.class,
            description = "Id of a workflow, or 'list'.")
    private String id = "";

    @Option(names = "--unfinished", description = "With 'list': workflows with a job that has not ended.")
    private boolean unfinished;

    @Option(names = "--failed", description = "With 'list': workflows with a job that is FAILED.")
    private boolean failed;

    @Option(names = "--type", paramLabel = "TYPE", description = "With 'list': the type of the first job.")
    private @Nullable String type;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "With 'list': workflows on a page. 1 to 1000, default 50.")
    private @Nullable String limit;

    @Option(
            names = "--after",
            paramLabel = "CURSOR",
            description = "With 'list': the page after this cursor ('next' of a page).")
    private @Nullable String after;

    public WorkflowCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        if (id.equals("list")) {
            list();
            return;
        }
        if (unfinished || failed || type != null || limit != null || after != null) {
            throw new UsageException(
                    "'workflow ID' takes no options of 'workflow list': --unfinished, --failed, --type, --limit, --after");
        }
        long workflow = Values.workflow("ID", id);
        WorkflowStatus status;
        List<JobInfo> dead;
        try (Windrow windrow = target().openToRead()) {
            status = windrow.workflow(workflow).orElseThrow(() -> new JobNotFoundException("workflow", workflow));
            dead = failed(windrow, workflow);
        }
        if (json()) {
            out().println(WorkflowJson.workflow(status, dead));
        } else {
            print(status, dead);
        }
    }

    private void list() {
        WorkflowFilter filter = WorkflowFilter.ALL;
        filter = unfinished ? filter.withUnfinished() : filter;
        filter = failed ? filter.withFailed() : filter;
        filter = type == null ? filter : filter.withType(Values.type("--type", type));
        int count = limit == null ? JobQuery.DEFAULT_LIMIT : Values.integer("--limit", limit, 1, JobQuery.MAX_LIMIT);
        long position = after == null ? Long.MAX_VALUE : Values.cursor("--after", after, "next");
        WorkflowPage page;
        try (Windrow windrow = target().openToRead()) {
            page = windrow.workflows(filter).limit(count).after(position).page();
        }
        if (json()) {
            out().println(WorkflowJson.page(page));
        } else {
            print(page);
        }
    }

    /** Returns the newest failed jobs. In a large workflow one query may not reach them. */
    private static List<JobInfo> failed(Windrow windrow, long workflow) {
        List<JobInfo> failed = new ArrayList<>();
        windrow.jobs(JobFilter.failed().withWorkflow(workflow))
                .newestFirst()
                .limit(SHOWN)
                .forEach(failed::add);
        return failed;
    }

    private void print(WorkflowPage page) {
        Ink ink = Ink.of(console());
        if (page.workflows().isEmpty()) {
            out().println(
                            page.next() == null
                                    ? "no matching workflows"
                                    : "no matching workflows in this part of the list; there are more workflows");
        } else {
            Instant now = Instant.now();
            Table table = new Table("ID>", "ENDED>", "JOBS>", "FAILED>", "AGE>", "FIRST TYPE", "NAME");
            for (WorkflowInfo workflow : page.workflows()) {
                WorkflowStatus status = workflow.status();
                table.row(
                        workflow.id(),
                        status.ended(),
                        status.jobs() + (workflow.isCapped() ? " or more" : ""),
                        status.count(JobState.FAILED),
                        Times.length(Duration.between(workflow.createdAt(), now)),
                        workflow.type(),
                        workflow.name() == null ? "" : workflow.name());
            }
            int width = console().tableWidth();
            table.print(out(), width, ink);
        }
        if (page.next() != null) {
            out().println(ink.dim("next page: --after " + page.next()));
        }
    }

    private void print(WorkflowStatus status, List<JobInfo> failed) {
        Ink ink = Ink.of(console());
        out().println(ink.bold("Workflow " + status.id()) + "  "
                + (status.isFinished()
                        ? "finished"
                        : "%,d of %,d jobs ended".formatted(status.ended(), status.jobs())));
        Table table = new Table("STATE", "JOBS>");
        for (JobState state : JobState.values()) {
            if (status.count(state) > 0) {
                table.row(new Table.Inked(state.name(), text -> ink.state(state, text)), status.count(state));
            }
        }
        int width = console().tableWidth();
        table.print(out(), width, ink);
        for (JobInfo job : failed) {
            out().println("job " + job.id() + "  " + TerminalText.oneLine(job.type())
                    + (job.name() == null ? "" : "  " + TerminalText.oneLine(job.name()))
                    + (job.errorCode() == null ? "" : "  " + ink.bad(job.errorCode())));
        }
        if (status.count(JobState.FAILED) > failed.size()) {
            out().println(ink.dim("all failed jobs: windrow list --state FAILED --workflow " + status.id()));
        }
    }
}
