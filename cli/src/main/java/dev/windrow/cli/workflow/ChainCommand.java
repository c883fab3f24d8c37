package dev.windrow.cli.workflow;

import dev.windrow.BulkResult;
import dev.windrow.ChainHandle;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.Candidates;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.RedactOption;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.query.FilterOptions;
import dev.windrow.cli.query.ListCommand;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Times;
import dev.windrow.cli.terminal.Values;
import dev.windrow.query.JobQuery;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.WorkflowJson;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.ChainPage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chain}: lists chains, shows one, and changes the last job of one. */
@Command(
        name = "chain",
        description = "Lists chains, shows the jobs of one, cancels or retries its last job.",
        customSynopsis = {"windrow chain list [OPTIONS]", "       windrow chain show|cancel|retry ID"},
        footer = {
            "",
            "'list' has the chains with more than one job and the declared ones, newest",
            "first. The state of a chain is that of its last job.",
            "",
            "Examples:",
            "  windrow chain list --state FAILED --type catalog.fetch",
            "  windrow chain show 17",
            "  windrow chain retry 17"
        })
public final class ChainCommand extends CliCommand {
    /** The verbs of the command. */
    public enum Verb {
        LIST,
        SHOW,
        CANCEL,
        RETRY
    }

    @Parameters(
            arity = "0..*",
            paramLabel = "VERB [ID]",
            completionCandidates = Candidates.ChainVerbs.class,
            hideParamSyntax = true,
            description = "The verb, and for 'show', 'cancel' and 'retry' the id of any job of the chain.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "--state",
            completionCandidates = Candidates.States.class,
            paramLabel = "STATE",
            description = "With 'list': the state of the last job. Repeatable, or several states with commas.")
    private List<String> states = new ArrayList<>();

    @Option(names = "--type", paramLabel = "TYPE", description = "With 'list': the type of the first job.")
    private @Nullable String type;

    @Option(names = "--limit", paramLabel = "N", description = "With 'list': chains on a page. 1 to 1000, default 50.")
    private @Nullable String limit;

    @Option(
            names = "--after",
            paramLabel = "CURSOR",
            description = "With 'list': the page after this cursor ('next' of a page).")
    private @Nullable String after;

    @Mixin
    private ReasonOption reason = new ReasonOption();

    @Mixin
    private RedactOption redact = new RedactOption();

    public ChainCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        if (words.isEmpty()) {
            throw new UsageException("the verb is missing: list, show, cancel or retry");
        }
        Verb verb = Values.choice("chain", words.get(0), Verb.class);
        int max = verb == Verb.LIST ? 1 : 2;
        if (words.size() > max) {
            throw new UsageException("unexpected argument '%s'".formatted(TerminalText.oneLine(words.get(max))));
        }
        reason.check();
        if (reason.isGiven() && (verb == Verb.LIST || verb == Verb.SHOW)) {
            throw new UsageException("--reason is for 'chain cancel' and 'chain retry'");
        }
        if (redact.isGiven() && verb != Verb.SHOW) {
            throw new UsageException("--redact is for 'chain show'");
        }
        if (verb == Verb.LIST) {
            list();
            return;
        }
        if (words.size() < 2) {
            throw new UsageException("ID is missing");
        }
        if (!states.isEmpty() || type != null || limit != null || after != null) {
            throw new UsageException("'chain %s' takes no options of 'chain list': --state, --type, --limit, --after"
                    .formatted(verb.name().toLowerCase(Locale.ROOT)));
        }
        long id = Values.id("ID", words.get(1));
        if (verb == Verb.SHOW) {
            show(id);
        } else {
            change(id, verb);
        }
    }

    private void list() {
        ChainFilter filter =
                ChainFilter.ALL.withStates(FilterOptions.states(states).toArray(JobState[]::new));
        if (type != null) {
            filter = filter.withType(Values.type("--type", type));
        }
        int count = limit == null ? JobQuery.DEFAULT_LIMIT : Values.integer("--limit", limit, 1, JobQuery.MAX_LIMIT);
        long position = after == null ? Long.MAX_VALUE : Values.cursor("--after", after, "next");
        ChainPage page;
        try (Windrow windrow = target().openToRead()) {
            page = windrow.chains(filter).limit(count).after(position).page();
        }
        if (json()) {
            out().println(WorkflowJson.page(page));
        } else {
            print(page);
        }
    }

    private void show(long id) {
        ChainInfo chain;
        List<JobInfo> jobs;
        try (Windrow windrow = target().openToRead()) {
            ChainHandle<?> handle = windrow.chain(id);
            chain = handle.info();
            jobs = handle.jobs();
        }
        if (json()) {
            out().println(WorkflowJson.chain(chain, jobs, redact.redactor()));
        } else {
            print(chain, jobs);
        }
    }

    private void change(long id, Verb verb) {
        BulkResult changed;
        try (Windrow windrow = target().openExisting()) {
            ChainHandle<?> chain = reason.of(windrow).chain(id);
            changed = verb == Verb.CANCEL ? chain.cancel() : chain.retry();
        }
        if (json()) {
            out().println(new JsonObject().put("changed", changed.count()).ids("ids", changed.ids()));
        } else {
            out().println("job %s of the chain is %s"
                    .formatted(
                            TerminalText.list(changed.ids()),
                            verb == Verb.CANCEL ? "cancelled or asked to stop" : "retried"));
        }
    }

    private void print(ChainPage page) {
        Ink ink = Ink.of(console());
        if (page.chains().isEmpty()) {
            out().println(
                            page.next() == null
                                    ? "no matching chains"
                                    : "no matching chains in this part of the list; there are more chains");
        } else {
            Instant now = Instant.now();
            Table table = new Table("ID>", "STATE", "TYPE", "JOBS>", "LAST JOB>", "LAST TYPE", "AGE>");
            for (ChainInfo chain : page.chains()) {
                table.row(
                        chain.id(),
                        new Table.Inked(chain.state().name(), text -> ink.state(chain.state(), text)),
                        chain.type(),
                        chain.length(),
                        chain.lastJob(),
                        chain.lastType(),
                        Times.length(Duration.between(chain.createdAt(), now)));
            }
            int width = console().tableWidth();
            table.print(out(), width, ink);
        }
        if (page.next() != null) {
            out().println(ink.dim("next page: --after " + page.next()));
        }
    }

    private void print(ChainInfo chain, List<JobInfo> jobs) {
        Ink ink = Ink.of(console());
        out().println(ink.bold("Chain " + chain.id()) + "  "
                + "%,d job%s%s, the last one is "
                        .formatted(
                                chain.length(),
                                chain.length() == 1 ? "" : "s",
                                chain.state().isFinished() ? "" : " so far")
                + ink.state(chain.state(), chain.state().name()));
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
