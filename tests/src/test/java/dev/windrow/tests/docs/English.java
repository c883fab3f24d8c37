package dev.windrow.tests.docs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules of plain English that a machine can check. */
public final class English {
    /** The most words of a sentence. */
    static final int LONGEST = 35;

    /** Words and phrases that readers stumble over, and what to write instead. */
    private static final Map<Pattern, String> BANNED = new LinkedHashMap<>();

    static {
        ban(
                "whoever, somebody, someone, nobody, anybody, everybody, everyone, people",
                "name the agent: the worker, the caller, users");
        ban("whatever, whichever, wherever, of what, those that, those who", "name the thing");
        ban("otherwise, unless said, by default", "default X");
        ban("is said, are said, was said, said of, is told, are told, was told", "say who does what");
        ban("goes on, go on, going on, went on", "continues");
        ban("stands in, stand in, it stands, as it stands, that stand", "is in, is stored in");
        ban("becomes of, became of, comes to, heeds, sees to, looks after, gives back", "use the plain verb");
        ban("for ever, anew, amid, thereby, lest", "forever, again");
    }

    /** The first words of a Javadoc that is a clause and not a noun or a verb. */
    private static final Pattern CLAUSE =
            Pattern.compile("(What|Who|Whose|How|Whether|Where|When|Which|To|That|Those)\\b.*", Pattern.DOTALL);

    private English() {}

    private static void ban(String phrases, String instead) {
        Arrays.stream(phrases.split(", "))
                .forEach(phrase -> BANNED.put(
                        Pattern.compile("(?i)(?<![\\w-])" + phrase.replace(" ", "\\s+") + "(?![\\w-])"), instead));
    }

    /** Returns the banned phrases in a text. */
    public static List<String> banned(String text) {
        List<String> found = new ArrayList<>();
        BANNED.forEach((phrase, instead) -> {
            Matcher matcher = phrase.matcher(text);
            while (matcher.find()) {
                int from = Math.max(0, matcher.start() - 40);
                int to = Math.min(text.length(), matcher.end() + 40);
                found.add("'%s' (%s) in: %s"
                        .formatted(
                                matcher.group(),
                                instead,
                                text.substring(from, to).replaceAll("\\s+", " ")));
            }
        });
        return found;
    }

    /** True if the first sentence of a Javadoc is a clause. */
    static boolean isClause(String javadoc) {
        return CLAUSE.matcher(javadoc).matches();
    }

    /** Returns the words of each sentence of a Markdown text, without code, tables' borders and links' targets. */
    static List<String> sentences(String markdown) {
        String prose = markdown.replaceAll("(?s)```.*?```", "")
                .replaceAll("(?m)^    .*$", "")
                .replaceAll("`[^`\n]*`", "X")
                .replaceAll("!?\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
        List<String> sentences = new ArrayList<>();
        for (String block : prose.split("\n\\s*\n|\n(?=\\s*(?:[-*|#]|\\d+\\.))")) {
            for (String cell : block.strip().split("\\|")) {
                String text =
                        cell.strip().replaceAll("^(?:[-*#]+|\\d+\\.)\\s+", "").replaceAll("\\s+", " ");
                for (String sentence : text.split("(?<=[.!?:;])\\s+")) {
                    if (words(sentence) > 2) {
                        sentences.add(sentence);
                    }
                }
            }
        }
        return sentences;
    }

    /** Returns how many words a sentence has. */
    static int words(String sentence) {
        return (int) Pattern.compile("[\\w'’-]+").matcher(sentence).results().count();
    }
}
