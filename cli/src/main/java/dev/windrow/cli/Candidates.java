package dev.windrow.cli;

import dev.windrow.Dedupe;
import dev.windrow.EventLevel;
import dev.windrow.JobState;
import dev.windrow.cli.schedule.ScheduleCommand;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.transfer.ImportCommand;
import dev.windrow.cli.workflow.ChainCommand;
import dev.windrow.schedule.Misfire;
import dev.windrow.schedule.Overlap;
import dev.windrow.workflow.ParentPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The possible values of options, for the completion of a shell. The parser creates the instances. */
public final class Candidates {
    private Candidates() {}

    /** The constants of an enum in the spelling of the command line. */
    private abstract static class Words extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        Words(Enum<?>... choices) {
            Arrays.stream(choices)
                    .map(each -> each instanceof JobState
                            ? each.name()
                            : each.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .forEach(this::add);
        }
    }

    public static final class States extends Words {
        private static final long serialVersionUID = 1L;

        States() {
            super(JobState.values());
        }
    }

    public static final class Colors extends Words {
        private static final long serialVersionUID = 1L;

        Colors() {
            super(Ink.Choice.values());
        }
    }

    public static final class EventLevels extends Words {
        private static final long serialVersionUID = 1L;

        EventLevels() {
            super(EventLevel.values());
        }
    }

    public static final class Scopes extends Words {
        private static final long serialVersionUID = 1L;

        Scopes() {
            super(Dedupe.Scope.values());
        }
    }

    public static final class Strategies extends Words {
        private static final long serialVersionUID = 1L;

        Strategies() {
            super(Dedupe.Strategy.values());
        }
    }

    public static final class Policies extends Words {
        private static final long serialVersionUID = 1L;

        Policies() {
            super(ParentPolicy.values());
        }
    }

    public static final class Misfires extends Words {
        private static final long serialVersionUID = 1L;

        Misfires() {
            super(Misfire.values());
        }
    }

    public static final class Overlaps extends Words {
        private static final long serialVersionUID = 1L;

        Overlaps() {
            super(Overlap.values());
        }
    }

    public static final class Shells extends Words {
        private static final long serialVersionUID = 1L;

        Shells() {
            super(CompletionCommand.Shell.values());
        }
    }

    public static final class ScheduleVerbs extends Words {
        private static final long serialVersionUID = 1L;

        ScheduleVerbs() {
            super(ScheduleCommand.Verb.values());
        }
    }

    public static final class ChainVerbs extends Words {
        private static final long serialVersionUID = 1L;

        ChainVerbs() {
            super(ChainCommand.Verb.values());
        }
    }

    public static final class WorkflowWords extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        WorkflowWords() {
            super(List.of("list"));
        }
    }

    public static final class RetentionWords extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        RetentionWords() {
            super(List.of("list", "set", "reset", "completed", "failed", "cancelled"));
        }
    }

    public static final class RunningJobs extends Words {
        private static final long serialVersionUID = 1L;

        RunningJobs() {
            super(ImportCommand.Running.values());
        }
    }
}
