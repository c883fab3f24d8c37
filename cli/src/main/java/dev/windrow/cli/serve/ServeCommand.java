package dev.windrow.cli.serve;

import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.Reasons;
import dev.windrow.cli.Signals;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.PasswordFile;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Values;
import dev.windrow.dashboard.Access;
import dev.windrow.dashboard.AccessPolicy;
import dev.windrow.dashboard.DashboardOptions;
import dev.windrow.dashboard.DashboardServlet;
import dev.windrow.dashboard.Role;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.Redactor;
import dev.windrow.wire.StandardRedactor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code serve}: the HTTP API, until a signal. */
@Command(
        name = "serve",
        description = "Serves the dashboard and the HTTP API.",
        footer = {
            "",
            "Without --token-file, --users-file and --open it makes a token and prints the",
            "URL with it: open it in a browser. Programs send the token in the header",
            "'Authorization: Bearer TOKEN'. After SIGTERM, SIGINT (Ctrl-C) or SIGHUP it",
            "accepts no more requests and lets running ones end.",
            "The connection is not encrypted: put a proxy with TLS in front of it.",
            "",
            "Examples:",
            "  windrow serve --db jobs.db",
            "  windrow serve --hash-password alice:operator",
            "  windrow serve --listen 0.0.0.0:8127 --users-file users.txt --host my.host"
        })
public final class ServeCommand extends CliCommand {
    private static final String DEFAULT_ADDRESS = "127.0.0.1:8127";
    private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "[::1]");
    private static final int SHORTEST_TOKEN = 16;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS:PORT",
            description = "Where to listen; port 0 is any free one. Default " + DEFAULT_ADDRESS + ".")
    private @Nullable String listen;

    @Option(names = "--prefix", paramLabel = "PATH", description = "The path of the API, such as /jobs, default /.")
    private @Nullable String prefix;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "A host name by which clients call the server, beside localhost. Repeatable.")
    private List<String> hosts = new ArrayList<>();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file whose first line is the token of all clients, 16 characters or more.")
    private @Nullable String tokenFile;

    @Option(
            names = "--users-file",
            paramLabel = "FILE",
            description = "A file with users, a line each: NAME ROLE HASH [QUEUE,QUEUE].")
    private @Nullable String usersFile;

    @Option(names = "--open", description = "No credentials: every user of this machine may look, and change nothing.")
    private boolean open;

    @Option(names = "--read-only", description = "Refuse all changes, and show no confidential values.")
    private boolean readOnly;

    @Option(names = "--label", paramLabel = "TEXT", description = "A name of this installation, such as staging.")
    private @Nullable String label;

    @Option(
            names = "--trace-link",
            paramLabel = "URL",
            description = "The address of a trace, such as https://traces.example.org/trace/{traceId}.")
    private @Nullable String traceLink;

    @Option(
            names = "--redact",
            paramLabel = "[TYPE:]PATH",
            description = "Also redact this value in payloads, results and metadata, such as $.email. Repeatable.")
    private List<String> redacted = new ArrayList<>();

    @Option(
            names = "--allow-exec",
            description = {
                "Let clients enqueue exec jobs, which run processes on workers.",
                "Without it they can only retry and trigger existing ones."
            })
    private boolean allowExec;

    @Option(
            names = "--hash-password",
            paramLabel = "NAME[:ROLE]",
            description = {
                "Read a password from stdin and print the line of this user for --users-file.",
                "ROLE: viewer (default), operator, admin or producer."
            })
    private @Nullable String hashed;

    public ServeCommand(Main main) {
        super(main);
    }

    @Override
    public void run() throws Exception {
        if (hashed != null) {
            printUser(hashed);
            return;
        }
        Address address = Address.parse(listen == null ? DEFAULT_ADDRESS : listen);
        DashboardOptions options = options(address);
        String path = path();
        String token = tokenFile == null && usersFile == null && !open ? TokenPolicy.newToken() : null;
        AccessPolicy policy = policy(address, token);
        CountDownLatch asked = new CountDownLatch(1);
        Signals signals = Signals.listen(console(), asked::countDown, () -> {});
        try (Windrow windrow = readOnly || open ? target().openToRead() : openOrMake(Target::openOrCreate)) {
            HttpServer server = HttpServer.start(address, path, new DashboardServlet(windrow, policy, options));
            try {
                print(server.url() + (token == null ? "" : "#token=" + token), address);
                asked.await();
            } finally {
                server.stop();
            }
        } finally {
            signals.ended();
        }
    }

    private void print(String url, Address address) {
        if (json()) {
            out().println(new JsonObject()
                    .put("url", url)
                    .put("pid", ProcessHandle.current().pid()));
        } else {
            out().println("windrow serves %s at %s".formatted(target().name(), url));
        }
        out().flush();
        if (!address.loopback()) {
            err().println("windrow: the connection is not encrypted: put a proxy with TLS in front of it");
        }
    }

    private DashboardOptions options(Address address) {
        Set<String> names = new HashSet<>(LOOPBACK);
        names.add(address.host());
        names.addAll(hosts);
        DashboardOptions options = Values.named("--host", () -> DashboardOptions.DEFAULTS.withHosts(names));
        String text = label;
        if (text != null) {
            DashboardOptions unlabelled = options;
            options = Values.named("--label", () -> unlabelled.withLabel(text));
        }
        String template = traceLink;
        if (template != null) {
            DashboardOptions unlinked = options;
            options = Values.named("--trace-link", () -> unlinked.withTraceLink(template));
        }
        StandardRedactor redactor = Redactor.standard();
        for (String path : redacted) {
            StandardRedactor before = redactor;
            int colon = path.startsWith("$") ? -1 : path.indexOf(':');
            redactor = Values.named(
                    "--redact",
                    () -> colon < 0
                            ? before.withPath(path)
                            : before.withPath(path.substring(0, colon), path.substring(colon + 1)));
        }
        options = options.withRedactor(redactor);
        options = allowExec ? options.withExec() : options;
        return readOnly ? options.withReadOnly() : options;
    }

    private String path() {
        if (prefix == null || prefix.equals("/")) {
            return "";
        }
        if (!prefix.matches("(/[A-Za-z0-9._-]+)+") || prefix.contains("/.")) {
            throw Values.notAllowed("--prefix", prefix, "a path such as /jobs, without a slash at its end");
        }
        return prefix;
    }

    private AccessPolicy policy(Address address, @Nullable String token) {
        int given = (tokenFile == null ? 0 : 1) + (usersFile == null ? 0 : 1) + (open ? 1 : 0);
        if (given > 1) {
            throw new UsageException("give one of --token-file, --users-file and --open");
        }
        if (!address.loopback() && (open || token != null)) {
            throw new UsageException(
                    "--listen: '%s' is not allowed without credentials, because other machines reach it; give --token-file or --users-file"
                            .formatted(listen));
        }
        if (open) {
            Access viewer = Access.of("http:open", Role.VIEWER);
            return request -> viewer;
        }
        if (usersFile != null) {
            return UsersPolicy.parse(usersFile, lines(usersFile));
        }
        String actor = "http:" + System.getProperty("user.name", "?");
        return new TokenPolicy(token != null ? token : token(String.valueOf(tokenFile)), actor);
    }

    private String token(String file) {
        String token = PasswordFile.read(
                console().folder(),
                Values.path("--token-file", file, "the path of a file"),
                "--token-file",
                warning -> err().println("windrow: " + warning));
        if (token.length() < SHORTEST_TOKEN || token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new FailedException(
                    "the token in '%s' (--token-file) is not allowed: at least %d printable ASCII characters, no spaces"
                            .formatted(file, SHORTEST_TOKEN));
        }
        return token;
    }

    private List<String> lines(String file) {
        try {
            return Files.readAllLines(console().path(Values.path("--users-file", file, "the path of a file")));
        } catch (IOException e) {
            throw new FailedException("cannot read '%s' (--users-file): %s".formatted(file, Reasons.of(e)), e);
        } catch (InvalidPathException e) {
            throw new FailedException("'%s' (--users-file) is not a valid path: %s".formatted(file, e.getReason()));
        }
    }

    private void printUser(String text) throws IOException {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        Role role = colon < 0 ? Role.VIEWER : Values.choice("--hash-password", text.substring(colon + 1), Role.class);
        if (!name.matches("[^\\s:#][^\\s:]{0,99}")) {
            throw Values.notAllowed("--hash-password", text, "NAME or NAME:ROLE, the name without spaces");
        }
        InputStream stdin = console().stdin();
        if (stdin == null) {
            throw new FailedException("cannot read a password: stdin is closed");
        }
        String password = new BufferedReader(new InputStreamReader(stdin, StandardCharsets.UTF_8)).readLine();
        if (password == null || password.length() < 8) {
            throw new FailedException("the password on stdin is not allowed: at least 8 characters, on one line");
        }
        String line = "%s %s %s".formatted(name, role.name().toLowerCase(Locale.ROOT), PasswordHash.of(password));
        if (json()) {
            out().println(new JsonObject().put("line", line));
        } else {
            out().println(line);
        }
    }
}
