package dev.windrow.cli.terminal;

import dev.windrow.JobState;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Colours for text on a terminal, unless the user chooses differently. The result is for a {@link SafeStream}. */
public record Ink(boolean on) {
    /** The choice when to use colours. */
    public enum Choice {
        /** Colours on a terminal, subject to NO_COLOR and CLICOLOR_FORCE. */
        AUTO,
        ALWAYS,
        NEVER
    }

    public static Ink of(Console console) {
        return new Ink(isOn(console.color(), console.environment()::get, console::outIsTerminal));
    }

    static boolean isOn(Choice choice, UnaryOperator<@Nullable String> environment, BooleanSupplier isTerminal) {
        if (choice != Choice.AUTO) {
            return choice == Choice.ALWAYS;
        }
        if (isSet(environment.apply("NO_COLOR"))) {
            return false;
        }
        String force = environment.apply("CLICOLOR_FORCE");
        return (isSet(force) && !"0".equals(force)) || (takesColour(environment) && isTerminal.getAsBoolean());
    }

    /** True if the user's terminal supports colours and the user wants them. */
    public static boolean isWanted(Console console) {
        UnaryOperator<@Nullable String> environment = console.environment()::get;
        return console.color() != Choice.NEVER && !isSet(environment.apply("NO_COLOR")) && takesColour(environment);
    }

    private static boolean takesColour(UnaryOperator<@Nullable String> environment) {
        String term = environment.apply("TERM");
        return term != null && !term.equals("dumb");
    }

    private static boolean isSet(@Nullable String value) {
        return value != null && !value.isEmpty();
    }

    public String bold(String text) {
        return wrap("1", text);
    }

    public String dim(String text) {
        return wrap("2", text);
    }

    public String good(String text) {
        return wrap("32", text);
    }

    public String bad(String text) {
        return wrap("31", text);
    }

    public String notable(String text) {
        return wrap("33", text);
    }

    public String accent(String text) {
        return wrap("36", text);
    }

    /** Returns the text in the colour of a state. */
    public String state(JobState state, String text) {
        return switch (state) {
            case COMPLETED -> good(text);
            case FAILED -> bad(text);
            case RUNNING -> accent(text);
            case BLOCKED, SCHEDULED -> notable(text);
            case CANCELLED -> dim(text);
            case PENDING -> text;
        };
    }

    private String wrap(String code, String text) {
        return on && !text.isEmpty() ? SafeStream.ESCAPE + "[" + code + "m" + text + SafeStream.ESCAPE + "[0m" : text;
    }
}
