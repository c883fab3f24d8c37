package dev.windrow.cli;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The words of a command line, cut at the first {@code --}. What follows it is a command to run and is never looked at
 * for options: not {@code --json}, not another {@code --}.
 *
 * @param words what the command line parser sees
 * @param command the words after the cut; null when there was no cut
 */
record Arguments(List<String> words, @Nullable List<String> command) {
    static Arguments cut(String... args) {
        List<String> all = Arrays.asList(args);
        int cut = all.indexOf("--");
        return cut < 0
                ? new Arguments(List.copyOf(all), null)
                : new Arguments(List.copyOf(all.subList(0, cut)), List.copyOf(all.subList(cut + 1, all.size())));
    }
}
