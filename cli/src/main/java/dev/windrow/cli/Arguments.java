package dev.windrow.cli;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The words of a command line, cut at the first {@code --}. The words after it are a program and its arguments. They
 * are never parsed as options: not {@code --json}, not another {@code --}.
 *
 * <p>A switch that is given more than once counts once. The parser would refuse the second one, or read it on the
 * other side of the command name as a contradiction of the first.
 *
 * @param words the words that the command line parser reads
 * @param command the words after the cut; null if there was no cut
 */
public record Arguments(List<String> words, @Nullable List<String> command) {
    private static final Set<String> SWITCHES = Set.of("--json", "--verbose", "-v");

    static Arguments cut(String... args) {
        List<String> all = Arrays.asList(args);
        int cut = all.indexOf("--");
        return cut < 0
                ? new Arguments(once(all), null)
                : new Arguments(once(all.subList(0, cut)), List.copyOf(all.subList(cut + 1, all.size())));
    }

    private static List<String> once(List<String> words) {
        Set<String> seen = new HashSet<>();
        return words.stream()
                .filter(word -> !SWITCHES.contains(word) || seen.add(word))
                .toList();
    }
}
