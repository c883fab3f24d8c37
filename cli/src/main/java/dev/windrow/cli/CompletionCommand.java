package dev.windrow.cli;

import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Values;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code completion}: what a shell needs to complete commands, options and their values. */
@Command(
        name = "completion",
        description = "Print a script that has the shell complete commands, options and values.",
        footer = {
            "",
            "For good: put the line into ~/.bashrc or ~/.zshrc.",
            "",
            "Examples:",
            "  windrow completion bash",
            "  windrow completion zsh"
        })
public final class CompletionCommand extends CliCommand {
    /** For which there is a script. */
    public enum Shell {
        BASH,
        ZSH
    }

    private final Main main;

    @Parameters(
            paramLabel = "SHELL",
            completionCandidates = Candidates.Shells.class,
            description = "bash or zsh: source <(windrow completion SHELL)")
    private String shell = "";

    CompletionCommand(Main main) {
        super(main);
        this.main = main;
    }

    @Override
    public void run() {
        Shell wanted = Values.choice("SHELL", shell, Shell.class);
        // Of picocli's script the part for zsh loads bashcompinit; compinit must have been before.
        String script = AutoComplete.bash("windrow", main.commandLine(true));
        String whole = wanted == Shell.ZSH ? "autoload -U +X compinit && compinit\n" + script : script;
        if (json()) {
            out().println(new Fields()
                    .put("shell", wanted.name().toLowerCase(Locale.ROOT))
                    .put("script", whole));
        } else {
            out().print(whole);
        }
    }
}
