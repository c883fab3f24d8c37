package dev.windrow.cli.workflow;

import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.job.JobFields;
import dev.windrow.cli.query.ListCommand;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.terminal.Values;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code chain}: lists the jobs of a chain. */
@Command(
        name = "chain",
        description = "Lists the jobs of a chain, from the first to the last so far.",
        footer = {"", "Examples:", "  windrow chain 17"})
public final class ChainCommand extends CliCommand {
    @Parameters(paramLabel = "ID", description = "Id of any job of the chain.")
    private String id = "";

    public ChainCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        long job = Values.id("ID", id);
        List<JobInfo> jobs;
        try (Windrow windrow = target().openToRead()) {
            jobs = windrow.job(JobRef.raw(job)).chain();
        }
        if (json()) {
            out().println(fields(jobs));
        } else {
            print(jobs);
        }
    }

    private static JobInfo last(List<JobInfo> jobs) {
        return jobs.get(jobs.size() - 1);
    }

    private static Fields fields(List<JobInfo> jobs) {
        JobInfo last = last(jobs);
        return new Fields()
                .id("id", last.chainId())
                .put("finished", last.state().isFinished())
                .put("state", last.state())
                .put("jobs", jobs.stream().map(JobFields::listed).toList());
    }

    private void print(List<JobInfo> jobs) {
        Ink ink = Ink.of(console());
        JobInfo last = last(jobs);
        out().println(ink.bold("Chain " + last.chainId()) + "  "
                + "%,d job%s%s, the last one is "
                        .formatted(
                                jobs.size(),
                                jobs.size() == 1 ? "" : "s",
                                last.state().isFinished() ? "" : " so far")
                + ink.state(last.state(), last.state().name()));
        Instant now = Instant.now();
        Table table = new Table("PLACE>", "ID>", "STATE", "TYPE", "QUEUE", "TRY>", "AGE>", "NAME OR ERROR");
        for (JobInfo job : jobs) {
            table.row(
                    job.chainIndex(),
                    job.id(),
                    new Table.Inked(job.state().name(), text -> ink.state(job.state(), text)),
                    job.type(),
                    job.queue(),
                    job.attempt() + "/" + job.maxAttempts(),
                    Times.length(Duration.between(job.createdAt(), now)),
                    ListCommand.remark(job));
        }
        int width = console().tableWidth();
        table.print(out(), width, ink);
    }
}
