package dev.windrow.cli.retention;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.Candidates;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Table;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.retention.Retention;
import dev.windrow.retention.RetentionRules;
import dev.windrow.wire.RetentionJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code retention}: the rules of how long ended jobs are kept. */
@Command(
        name = "retention",
        description = "Lists, sets or resets how long ended jobs are kept.",
        customSynopsis = {
            "windrow retention [list]",
            "       windrow retention set STATE DURATION|forever [--type TYPE]",
            "       windrow retention reset STATE [--type TYPE]"
        },
        footer = {
            "",
            "The rules are in the database. All workers apply them once an hour, and",
            "'cleanup' applies them too. A rule for a type overrides the rule for all types.",
            "",
            "Examples:",
            "  windrow retention set completed 7d",
            "  windrow retention set failed forever --type invoice.send",
            "  windrow retention reset failed --type invoice.send"
        })
public final class RetentionCommand extends CliCommand {
    private static final String FOREVER = "forever";

    @Parameters(
            arity = "0..*",
            paramLabel = "[VERB [STATE [DURATION]]]",
            completionCandidates = Candidates.RetentionWords.class,
            hideParamSyntax = true,
            description =
                    "The verb: list (default), set or reset. The state: completed, failed or cancelled. For set, the time: 0s to 36500d, or forever.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "The rule for this type, default the rule for all types.")
    private @Nullable String type;

    @Mixin
    private ReasonOption reason = new ReasonOption();

    public RetentionCommand(Main main) {
        super(main);
    }

    /** Reads how long to keep jobs; null for forever. */
    static @Nullable Duration keep(String option, String text) {
        return Values.durationOr(FOREVER, option, text, "0s", "36500d");
    }

    @Override
    public void run() {
        String verb = words.isEmpty() ? "list" : words.get(0).toLowerCase(Locale.ROOT);
        int wanted = switch (verb) {
            case "list" -> 1;
            case "set" -> 3;
            case "reset" -> 2;
            default -> throw Values.notAllowed("VERB", words.get(0), "list, set, reset");
        };
        if (words.size() > Math.max(1, wanted)) {
            throw new UsageException("unexpected argument after 'retention %s': '%s'"
                    .formatted(verb, TerminalText.oneLine(words.get(wanted))));
        }
        if (!words.isEmpty() && words.size() < wanted) {
            throw new UsageException(
                    words.size() == 1
                            ? "STATE is missing: completed, failed or cancelled"
                            : "DURATION is missing, such as 30d, or forever");
        }
        if (verb.equals("list") && (type != null || reason.isGiven())) {
            throw new UsageException(
                    "%s is for 'retention set' and 'retention reset'".formatted(type != null ? "--type" : "--reason"));
        }
        reason.check();
        if (verb.equals("list")) {
            try (Windrow windrow = target().openToRead()) {
                print(windrow.retention().rules());
            }
            return;
        }
        JobState state = state(words.get(1));
        String checked = type == null ? null : Values.type("--type", type);
        Duration keep = verb.equals("set") ? keep("DURATION", words.get(2)) : null;
        try (Windrow windrow = target().openExisting()) {
            Retention retention = reason.of(windrow).retention();
            if (verb.equals("reset")) {
                print(checked == null ? retention.reset(state) : retention.reset(state, checked));
            } else if (keep == null) {
                print(checked == null ? retention.keepForever(state) : retention.keepForever(state, checked));
            } else {
                print(checked == null ? retention.keep(state, keep) : retention.keep(state, checked, keep));
            }
        }
    }

    private static JobState state(String text) {
        for (JobState state : JobState.values()) {
            if (state.isFinished() && state.name().equalsIgnoreCase(text)) {
                return state;
            }
        }
        throw Values.notAllowed("STATE", text, "completed, failed, cancelled");
    }

    private void print(RetentionRules retention) {
        if (json()) {
            out().println(RetentionJson.rules(retention));
            return;
        }
        Table table = new Table("STATE", "TYPE", "KEPT");
        for (RetentionRules.Rule rule : retention.rules()) {
            table.row(rule.state(), rule.type() == null ? "(all)" : rule.type(), text(rule.keep()));
        }
        int width = console().tableWidth();
        table.print(out(), width, Ink.of(console()));
    }

    private static String text(@Nullable Duration keep) {
        return keep == null ? FOREVER : Durations.text(keep);
    }
}
