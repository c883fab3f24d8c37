package dev.windrow.wire;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.payload.Json;
import dev.windrow.query.PayloadMatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Replaces values by the names of their members, and by their paths. The value becomes the string {@code "[redacted]"}, also if it is an object, an
 * array or null. All other characters of the document stay as they are stored. A document that is not JSON is replaced as a whole, because its
 * members cannot be found.
 *
 * <p>A name of this list is found at any depth, also in arrays, without regard to case, {@code _} and {@code -}: {@code password}, {@code passwd},
 * {@code secret}, {@code token}, {@code apikey}, {@code authorization}, {@code cookie}, {@code card}, {@code iban}. A member has the name if the name
 * is a word or a group of words in it, or the plural of one: {@code accessToken}, {@code Set-Cookie}, {@code API_KEYS}, {@code cardNumber}, but not
 * {@code discard}. A name of at least five letters is also found at the end of a word: {@code dbpassword}, {@code ACCESSTOKENS}.
 *
 * <p>Text inside of strings is not examined. Immutable and thread-safe.
 */
@CheckReturnValue
public final class StandardRedactor implements Redactor {
    static final StandardRedactor DEFAULT = new StandardRedactor(
            Set.of("password", "passwd", "secret", "token", "apikey", "authorization", "cookie", "card", "iban"),
            List.of());

    private static final String REDACTED = "\"[redacted]\"";
    private static final Integer ANY = -1;
    /** The length of names that are also found at the end of a word. Many words end with a shorter one, such as {@code discard}. */
    private static final int LONG = 5;

    private static final Pattern WORD =
            Pattern.compile("\\p{Lu}+(?!\\p{Ll})|\\p{Lu}?[\\p{L}&&[^\\p{Lu}]]+|\\p{Lu}|\\p{N}+");
    /** A step of a path that {@link PayloadMatch} has accepted. */
    private static final Pattern STEP = Pattern.compile("\\.([^.\\[]+)|\\['([^']*)'\\]|\\[([0-9]+|\\*)\\]");

    private final Set<String> names;
    private final int longest;
    private final List<Path> paths;

    /**
     * A path of confidential values.
     *
     * @param type the type of the jobs; null for all types
     * @param steps names of members, and indexes of elements
     */
    private record Path(@Nullable String type, List<Object> steps) {
        boolean leadsTo(List<Object> place) {
            if (place.size() != steps.size()) {
                return false;
            }
            for (int i = place.size() - 1; i >= 0; i--) {
                Object step = steps.get(i);
                if (!step.equals(place.get(i)) && !(step.equals(ANY) && place.get(i) instanceof Integer)) {
                    return false;
                }
            }
            return true;
        }
    }

    private StandardRedactor(Set<String> names, List<Path> paths) {
        this.names = Set.copyOf(names);
        this.longest = names.stream().mapToInt(String::length).max().orElse(0);
        this.paths = List.copyOf(paths);
    }

    /**
     * Adds a name, such as {@code ssn}. It is compared like the names of the list.
     *
     * @throws InvalidRequestException if the name has no letter and no digit
     */
    public StandardRedactor withName(String name) {
        String key = String.join("", words(name));
        if (key.isEmpty()) {
            throw new InvalidRequestException("name '%s' is not allowed: at least one letter or digit".formatted(name));
        }
        Set<String> more = new HashSet<>(names);
        more.add(key);
        return new StandardRedactor(more, paths);
    }

    /**
     * Adds a path in the documents of all types. Its syntax is that of {@link PayloadMatch}, such as {@code $.customer.email} or {@code $.lines[*].text}.
     *
     * @throws InvalidRequestException if the path is not allowed
     */
    public StandardRedactor withPath(String path) {
        return withPath(new Path(null, steps(path)));
    }

    /**
     * Adds a path in the documents of one type. Jobs that were enqueued under an alias of the type need a path of the alias.
     *
     * @throws InvalidRequestException if the type or the path is not allowed
     */
    public StandardRedactor withPath(String type, String path) {
        return withPath(new Path(JobType.raw(type).name(), steps(path)));
    }

    private StandardRedactor withPath(Path path) {
        List<Path> more = new ArrayList<>(paths);
        more.add(path);
        return new StandardRedactor(names, more);
    }

    private static List<Object> steps(String path) {
        PayloadMatch allowed = PayloadMatch.exists(path);
        return STEP.matcher(allowed.path())
                .results()
                .map(step -> {
                    String name = step.group(1) == null ? step.group(2) : step.group(1);
                    return name != null
                            ? (Object) name
                            : step.group(3).equals("*") ? ANY : Integer.valueOf(step.group(3));
                })
                .toList();
    }

    @Override
    public Json redact(String type, Json document) {
        List<Path> wanted = paths.stream()
                .filter(path -> path.type == null || path.type.equals(type))
                .toList();
        try (JsonParser parser = JsonScan.stored(document.text())) {
            return new Json(redacted(parser, document.text(), wanted));
        } catch (JacksonException e) {
            return new Json(REDACTED);
        }
    }

    /** Copies the text between the confidential values. So numbers, white space and escapes stay as they are. */
    private String redacted(JsonParser parser, String text, List<Path> wanted) {
        StringBuilder redacted = new StringBuilder();
        int copied = 0;
        // The names and indexes that lead to the current value.
        List<Object> place = new ArrayList<>();
        boolean isOneValue = false;
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
            int last = place.size() - 1;
            if (token.isStructEnd()) {
                place.remove(last);
                continue;
            } else if (token == JsonToken.PROPERTY_NAME) {
                place.set(last, parser.currentName());
                continue;
            } else if (last < 0 && isOneValue) {
                return REDACTED;
            } else if (last < 0) {
                isOneValue = true;
            } else if (place.get(last) instanceof Integer index) {
                place.set(last, index + 1);
            }
            if (isConfidential(place, wanted)) {
                redacted.append(text, copied, (int)
                                parser.currentTokenLocation().getCharOffset())
                        .append(REDACTED);
                parser.skipChildren();
                parser.finishToken();
                copied = (int) parser.currentLocation().getCharOffset();
            } else if (token.isStructStart()) {
                place.add(token == JsonToken.START_ARRAY ? (Object) Integer.valueOf(-1) : "");
            }
        }
        return isOneValue ? redacted.append(text, copied, text.length()).toString() : REDACTED;
    }

    private boolean isConfidential(List<Object> place, List<Path> wanted) {
        return (!place.isEmpty() && place.get(place.size() - 1) instanceof String name && isConfidential(name))
                || wanted.stream().anyMatch(path -> path.leadsTo(place));
    }

    private boolean isConfidential(String name) {
        List<String> words = words(name);
        for (int first = 0; first < words.size(); first++) {
            StringBuilder group = new StringBuilder();
            for (int i = first; i < words.size() && group.length() <= longest; i++) {
                String found = group.append(words.get(i)).toString();
                if (isName(found) || (found.endsWith("s") && isName(found.substring(0, found.length() - 1)))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isName(String words) {
        return names.contains(words) || names.stream().anyMatch(name -> name.length() >= LONG && words.endsWith(name));
    }

    /** Returns the words of a name in lower case: {@code api}, {@code key} for {@code apiKey}, {@code API_KEY} and {@code api-key}. */
    private static List<String> words(String name) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(name);
        while (matcher.find()) {
            words.add(matcher.group().toLowerCase(Locale.ROOT));
        }
        return words;
    }
}
