package dev.windrow.cli.limit;

import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Values;
import dev.windrow.limit.KeyList;
import dev.windrow.limit.LimitHandle;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.wire.LimitJson;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code limit}: limits how many jobs of a queue, of a type or with a key run at once, and how often one starts. */
@Command(
        name = "limit",
        description = "Limits how many jobs run at once, and how often one starts.",
        footer = {
            "",
            "A limit is for a queue, a job type or a concurrency key, and for all processes",
            "together.",
            "",
            "Examples:",
            "  windrow limit --type image.resize --running 4",
            "  windrow limit mail --rate 10/s --burst 20",
            "  windrow limit --key tenant-42 --rate none",
            "  windrow limit --keys"
        })
public final class LimitCommand extends CliCommand {
    private static final String NONE = "none";
    private static final int MOST = 1_000_000;

    @Mixin
    private ScopeOptions scopes = new ScopeOptions();

    @Option(
            names = "--running",
            paramLabel = "N",
            description = "Jobs that may run at once. 1 to 1000000, or 'none' to remove the limit.")
    private @Nullable String running;

    @Option(
            names = "--rate",
            paramLabel = "N/TIME",
            description = "Jobs that may start per time, such as 10/s, 600/m or 5/2s; or 'none' to remove the limit.")
    private @Nullable String rate;

    @Option(
            names = "--burst",
            paramLabel = "N",
            description =
                    "With --rate: jobs that may start at once after a time without starts. 1 to 1000000, default the number for 100 ms.")
    private @Nullable String burst;

    @Option(
            names = "--keys",
            description = {
                "Change nothing: list the concurrency keys with waiting jobs, a pause or a",
                "limit, most waiting jobs first, up to 200."
            })
    private boolean keys;

    @Mixin
    private ReasonOption reason = new ReasonOption();

    public LimitCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        if (keys) {
            list();
            return;
        }
        LimitTarget scope = scopes.scope();
        reason.check();
        Integer max = running == null ? null : Values.integerOr(NONE, "--running", running, 1, MOST);
        Rate starts = rate();
        if (running == null && rate == null) {
            throw new UsageException("the limit is missing: give --running, --rate or both");
        }
        Limits control;
        try (Windrow windrow = target().openExisting()) {
            LimitHandle limits = reason.of(windrow).limit(scope);
            if (running == null) {
                control = limitRate(limits, starts);
            } else {
                control = max == null ? limits.removeLimit() : limits.limit(max);
                control = rate == null ? control : limitRate(limits, starts);
            }
        }
        if (json()) {
            out().println(LimitJson.limits(control));
        } else {
            out().println("%s: %s".formatted(scope, LimitsView.limits(control)));
        }
    }

    private void list() {
        if (scopes.isGiven() || running != null || rate != null || burst != null || reason.isGiven()) {
            throw new UsageException("--keys stands alone: it lists keys and changes none");
        }
        KeyList list;
        try (Windrow windrow = target().openToRead()) {
            list = windrow.keys(KeyList.MAX_KEYS);
        }
        if (json()) {
            out().println(LimitJson.keys(list));
        } else {
            LimitsView.keys(console(), list);
        }
    }

    private static Limits limitRate(LimitHandle limits, @Nullable Rate starts) {
        return starts == null ? limits.removeRateLimit() : limits.limitRate(starts);
    }

    private @Nullable Rate rate() {
        if (burst != null && (rate == null || rate.equals(NONE))) {
            throw new UsageException("--burst needs --rate N/TIME");
        }
        if (rate == null || rate.equals(NONE)) {
            return null;
        }
        String text = rate;
        Rate starts = Values.named("--rate", () -> Rate.parse(text));
        return burst == null ? starts : starts.withBurst(Values.integer("--burst", burst, 1, MOST));
    }
}
