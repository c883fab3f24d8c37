package dev.windrow.cli.serve;

import dev.windrow.cli.FailedException;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.AccessPolicy;
import dev.windrow.dashboard.Role;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Knows the users of a file: {@code Authorization: Basic}. Each line is {@code NAME ROLE HASH [QUEUE,QUEUE]}; lines that begin with {@code #} are
 * comments.
 */
final class UsersPolicy implements AccessPolicy {
    private static final String BASIC = "basic ";
    private static final Access UNKNOWN = Access.anonymous("Basic realm=\"windrow\", charset=\"UTF-8\"");
    private static final int MOST_KNOWN = 100;
    /** The number of senders that wait for the check of a password. Without a limit they would take all threads of the server. */
    private static final int MOST_CHECKED = 8;

    private record User(PasswordHash hash, Access access) {}

    private final Map<String, User> users;
    /** A user that does not exist costs the same time as one that does. */
    private final PasswordHash ofUnknownUser;
    /** Credentials that were right, hashed with a salt of this process, because a password hash for each poll is too slow. */
    private final Map<String, Access> known = new ConcurrentHashMap<>();

    private final byte[] salt = new byte[16];
    /** Wrong passwords cost one processor at most. */
    private final Semaphore checking = new Semaphore(1, true);

    private final Semaphore senders = new Semaphore(MOST_CHECKED);

    private UsersPolicy(Map<String, User> users) {
        this.users = users;
        this.ofUnknownUser = PasswordHash.ofNoPassword(users.values().stream().map(User::hash));
        new SecureRandom().nextBytes(salt);
    }

    /** Reads the lines of a file. */
    static UsersPolicy parse(String file, List<String> lines) {
        Map<String, User> users = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split("\\s+", -1);
            PasswordHash hash = words.length < 3 || words.length > 4 ? null : PasswordHash.parse(words[2]);
            Role role = words.length < 2 ? null : role(words[1]);
            if (hash == null || role == null || words[0].length() > 200) {
                throw new FailedException(
                        "%s, line %d: this is not NAME ROLE HASH [QUEUE,QUEUE]; 'windrow serve --hash-password NAME' makes a line"
                                .formatted(TerminalText.oneLine(file), i + 1));
            }
            Access access = Access.of(words[0], role);
            if (words.length == 4) {
                access = access.withQueues(Arrays.asList(words[3].split(",", -1)));
            }
            if (users.put(words[0], new User(hash, access)) != null) {
                throw new FailedException("%s, line %d: user '%s' appears twice"
                        .formatted(TerminalText.oneLine(file), i + 1, TerminalText.oneLine(words[0])));
            }
        }
        if (users.isEmpty()) {
            throw new FailedException("%s has no users; 'windrow serve --hash-password NAME' makes a line"
                    .formatted(TerminalText.oneLine(file)));
        }
        return new UsersPolicy(users);
    }

    private static @Nullable Role role(String word) {
        return Arrays.stream(Role.values())
                .filter(role -> role.name().toLowerCase(Locale.ROOT).equals(word))
                .findFirst()
                .orElse(null);
    }

    @Override
    public Access of(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        if (header == null || !header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return UNKNOWN;
        }
        String credentials;
        try {
            credentials = new String(
                    Base64.getDecoder().decode(header.substring(BASIC.length()).strip()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return UNKNOWN;
        }
        int colon = credentials.indexOf(':');
        if (colon < 0) {
            return UNKNOWN;
        }
        String key = key(credentials);
        Access remembered = known.get(key);
        if (remembered != null) {
            return remembered;
        }
        if (!senders.tryAcquire()) {
            return Access.busy();
        }
        try {
            return checked(key, credentials.substring(0, colon), credentials.substring(colon + 1));
        } finally {
            senders.release();
        }
    }

    private Access checked(String key, String name, String password) {
        try {
            checking.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Access.busy();
        }
        try {
            User user = users.get(name);
            boolean right = (user == null ? ofUnknownUser : user.hash).matches(password);
            if (!right || user == null) {
                return UNKNOWN;
            }
            if (known.size() < MOST_KNOWN) {
                known.put(key, user.access);
            }
            return user.access;
        } finally {
            checking.release();
        }
    }

    private String key(String credentials) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(salt);
            return Base64.getEncoder().encodeToString(digest.digest(credentials.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
