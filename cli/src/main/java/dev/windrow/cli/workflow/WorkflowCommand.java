package dev.windrow.cli.workflow;

import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.query.JobFilter;
import dev.windrow.wire.WorkflowJson;
import dev.windrow.workflow.WorkflowStatus;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code workflow}: counts the jobs of a workflow by state. */
@Command(
        name = "workflow",
        description = "Counts the jobs of a workflow by state and lists the failed ones.",
        footer = {"", "Examples:", "  windrow workflow 17", "  windrow workflow 17 --json"})
public final class WorkflowCommand extends CliCommand {
    private static final int SHOWN = 20;

    @Parameters(paramLabel = "ID", description = "Id of the workflow.")
    private String id = "";

    public WorkflowCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        long workflow = Values.workflow("ID", id);
        WorkflowStatus status;
        List<JobInfo> failed;
        try (Windrow windrow = target().openToRead()) {
            status = windrow.workflow(workflow).orElseThrow(() -> new JobNotFoundException("workflow", workflow));
            failed = failed(windrow, workflow);
        }
        if (json()) {
            out().println(WorkflowJson.workflow(status, failed));
        } else {
            print(status, failed);
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
