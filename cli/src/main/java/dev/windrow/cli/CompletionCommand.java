package dev.windrow.cli;

import dev.windrow.cli.terminal.Values;
import dev.windrow.wire.JsonObject;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code completion}: prints the script by which a shell completes commands, options and their values. */
@Command(
        name = "completion",
        description = "Prints a completion script for bash or zsh.",
        footer = {
            "",
            "To have completion in each new shell, put the line",
            "  source <(windrow completion bash)",
            "into ~/.bashrc, or the same with zsh into ~/.zshrc.",
            "",
            "Examples:",
            "  windrow completion bash",
            "  windrow completion zsh"
        })
public final class CompletionCommand extends CliCommand {
    /** The supported shells. */
    public enum Shell {
        BASH,
        ZSH
    }

    private final Main main;

    @Parameters(
            paramLabel = "SHELL",
            completionCandidates = Candidates.Shells.class,
            description = "The shell: bash or zsh.")
    private String shell = "";

    CompletionCommand(Main main) {
        super(main);
        this.main = main;
    }

    @Override
    public void run() {
        Shell wanted = Values.choice("SHELL", shell, Shell.class);
        // The part for zsh in picocli's script loads bashcompinit, which needs compinit to have run before.
        String script = AutoComplete.bash("windrow", main.commandLine(true));
        String whole = wanted == Shell.ZSH ? "autoload -U +X compinit && compinit\n" + script : script;
        if (json()) {
            out().println(new JsonObject()
                    .put("shell", wanted.name().toLowerCase(Locale.ROOT))
                    .put("script", whole));
        } else {
            out().print(whole);
        }
    }
}
