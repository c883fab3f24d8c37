package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is answered without opening a store. */
class MainTest {
    @TempDir
    private Path folder;

    private record Answer(int status, String out, String err) {}

    private static Answer windrow(String... args) {
        InProcess windrow = new InProcess(Path.of(""), Map.of(), InputStream.nullInputStream());
        int status = windrow.run(args);
        return new Answer(status, windrow.out(), windrow.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|no command given",
                "nosuch|'nosuch' is not a command",
                "stats --nosuch|Unknown option: '--nosuch'",
                "stats extra|unexpected argument 'extra'",
                "stats -- extra|only 'enqueue exec'",
                "enqueue|TYPE is missing",
                "enqueue t {}x|not one JSON value",
                "enqueue t {} {}|unexpected argument '{}'",
                "enqueue t --nosuch|Unknown option: '--nosuch'",
                "enqueue t -- true|only type 'exec'",
                "enqueue exec|payload of an exec job",
                "enqueue exec --|command after -- is missing",
                "enqueue exec ls|write the command of an 'exec' job after --, such as: exec -- ls",
                "enqueue exec echo hi|write the command of an 'exec' job after --, such as: exec -- echo",
                "enqueue exec {\"command\":|the payload is not one JSON value",
                "schedule add|NAME is missing",
                "schedule add a|TYPE is missing",
                "schedule add a t|the time is missing: give --cron EXPRESSION or --every DURATION",
                "schedule add a t --every 1h --cron @daily|--cron and --every do not go together",
                "schedule add a exec ls --every 1h|write the command of an 'exec' job after --, such as: exec -- ls",
                "schedule add a exec ls x --every 1h|write the command of an 'exec' job after --, such as: exec -- ls",
                "enqueue exec {\"command\":[\"true\"]} -- true|not both",
                "enqueue --file f t|--file does not go with",
                "enqueue --file f --priority 1|--file does not go with",
                "enqueue t --priority 32768|--priority: '32768' is not allowed; allowed: -32768 to 32767",
                "enqueue t --max-attempts 0|--max-attempts: '0' is not allowed; allowed: 1 to 1000",
                "enqueue t --delay 5|--delay: '5' is not allowed",
                "enqueue t --at 2026-11-21|--at: '2026-11-21' is not allowed",
                "enqueue t --at 2026-11-21T00:00:00Z --delay 1s|do not go together",
                "enqueue t --depends-on x|--depends-on: 'x' is not allowed",
                "enqueue t --on-parent-failure stop|--on-parent-failure: 'stop' is not allowed; allowed: wait, cancel, run",
                "enqueue t --queue a/b|--queue: queue 'a/b' is not allowed",
                "enqueue 1type|TYPE: job type '1type' is not allowed",
                "work --concurrency 0|--concurrency: '0' is not allowed; allowed: 1 to 1000",
                "work --queue a:0|--queue a: '0' is not allowed",
                "work --lease 1ms|--lease: '1ms' is not allowed; allowed: 1s to 1h",
                "work --poll 1h|--poll: '1h' is not allowed",
                "work --min-priority -32769|--min-priority: '-32769' is not allowed; allowed: -32768 to 32767",
                "work --min-priority 32768|--min-priority: '32768' is not allowed; allowed: -32768 to 32767",
                "work --drain-timeout x|--drain-timeout: 'x' is not allowed",
                "list --state LOST|--state: 'LOST' is not allowed; allowed: BLOCKED,",
                "list --limit 1001|--limit: '1001' is not allowed; allowed: 1 to 1000",
                "list --after x|--after: 'x' is not allowed",
                "list --before x|--before: 'x' is not allowed; allowed: the cursor in 'previous' of a page",
                "list \u001b[31mx|unexpected argument '␛[31mx'",
                "work --auto-retry x|--auto-retry: error code 'x' is not CATEGORY:SUBCATEGORY",
                "limit q --running x|--running: 'x' is not allowed; allowed: 1 to 1000000, or none",
                "cleanup --failed x|--failed: 'x' is not allowed; allowed: 0s to 36500d, a number with ms, s, m, h or d, or forever",
                "retention set failed 36501d|DURATION: '36501d' is not allowed; allowed: 0s to 36500d, or forever",
                "list --after 1 --before 2|not both",
                "list --state FAILED,LOST|--state: 'LOST' is not allowed; allowed: BLOCKED,",
                "list --priority x|--priority: 'x' is not allowed; allowed: -32768 to 32767",
                "list --parent x|--parent: 'x' is not allowed; allowed: a job id",
                "list --chain 0|--chain: '0' is not allowed",
                "list --look 5|--look needs --payload",
                "list --type t --payload x|--payload: 'x' is not allowed; allowed: a path such as $.customer.id",
                "list --type t --payload $.a --look 0|--look: '0' is not allowed; allowed: 1 to 100000",
                "list --color blue|--color: 'blue' is not allowed; allowed: auto, always, never",
                "export --json|give --output FILE",
                "export --output x --priority y|--priority: 'y' is not allowed",
                "health --max-lag x|--max-lag: 'x' is not allowed; allowed: 0s to 3650d",
                "health --queue a/b|--queue: queue 'a/b' is not allowed",
                "completion fish|SHELL: 'fish' is not allowed; allowed: bash, zsh",
                "completion|Missing required parameter: 'SHELL'",
                "complete|the job is missing: give its ID, or --key and --type",
                "complete 1 -5 6|unexpected argument '6'",
                "lsit --state FAILED|'lsit' is not a command",
                "config x|unexpected argument 'x'",
                "list --created-after x|--created-after: 'x' is not allowed",
                "explain|the job is missing: give its ID, or --key and --type",
                "explain 1x|ID: '1x' is not allowed",
                "show|the job is missing: give its ID, or --key and --type",
                "show --key k|--key needs --type",
                "chain list --redact|--redact is for 'chain show'",
                "chain show 1 --state FAILED|takes no options of 'chain list'",
                "chain show 1 --limit 5|takes no options of 'chain list'",
                "chain show 1 --after 5|takes no options of 'chain list'",
                "chain list --reason x|--reason is for 'chain cancel' and 'chain retry'",
                "chain show 1 --reason x|--reason is for 'chain cancel' and 'chain retry'",
                "schedule run s --redact|--redact is for verbs that print a schedule",
                "show 1 --type t|--type needs --key",
                "show 1 --key k --type t|give an id or --key, not both",
                "show --key k --type t/|--type: job type 't/' is not allowed",
                "show --key= --type t|--key: dedupe key '' has 0 characters",
                "complete 1 2 --key k --type t|give an id or --key, not both",
                "signal --key k --type t|the event is missing: give its NAME",
                "signal 1 a {} --key k --type t|give an id or --key, not both",
                "fail 1 --error-code A:B --key k --type t|give an id or --key, not both",
                "cancel --key k|--key needs --type",
                "cancel 1 --key k --type t|give an id or --key, not both",
                "cancel --key k --type t --tag x|--key and --type name one job: leave out the other filters",
                "delete --key k --type t --older-than 1d|leave out the other filters",
                "show 1x|ID: '1x' is not allowed",
                "show 99999999999999999999|is not allowed",
                "retry|no jobs named",
                "retry 1 --type t|not both",
                "retry 1 --attempts 0|--attempts: '0' is not allowed; allowed: 1 to 1000",
                "cancel 1 x|ID: 'x' is not allowed",
                "retry --older-than x|--older-than: 'x' is not allowed; allowed: 0s to 36500d",
                "retry 1 --older-than 7d|not both",
                "cancel --older-than 7d|--older-than",
                "trigger 1 --tag t|not both",
                "delete|no jobs named",
                "delete 1 --max 5|--max is for a filter",
                "delete --key k --type t --max 5|--max is for a filter",
                "delete --tag x --max 0|--max: '0' is not allowed; allowed: 1 to 2147483647",
                "delete --error-code x|--error-code: error code 'x'",
                "audit --limit 0|--limit: '0' is not allowed; allowed: 1 to 1000",
                "cancel 1 --db|--db",
                "demo a b|unexpected argument 'b'",
                "demo --concurrency 1001|--concurrency: '1001' is not allowed"
            })
    void wrongUsageEndsWith2AndNamesTheWord(String line, String message) {
        Answer answer = windrow(line.isEmpty() ? new String[0] : line.split(" "));
        assertThat(answer.err()).contains(message).doesNotContain("\tat ");
        assertThat(answer.status()).isEqualTo(2);
        assertThat(answer.out()).isEmpty();
    }

    private static Stream<String> commands() {
        return InProcess.parser().getSubcommands().entrySet().stream()
                .filter(command -> !command.getKey().equals("help") && !InProcess.isAbsent(command.getValue()))
                .map(Map.Entry::getKey);
    }

    /** Whatever else is missing, or too much. */
    @ParameterizedTest
    @MethodSource("commands")
    void anUnknownOptionIsReportedBeforeOtherErrors(String command) {
        for (String words : new String[] {
            "%s --nosuch",
            "%s --nosuch=5",
            "%s --nosuch 5",
            "%s x --nosuch",
            "%s x --nosuch 5",
            "%s x y --nosuch z",
            "%s x y z --nosuch a b c",
            "--nosuch %s"
        }) {
            Answer answer = windrow(words.formatted(command).split(" "));
            assertThat(answer.err())
                    .as(words)
                    .startsWith("windrow: Unknown option: '--nosuch")
                    .contains("--help")
                    .doesNotContain("missing", "Missing");
            assertThat(answer.status()).isEqualTo(2);
            assertThat(answer.out()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "stats",
        "list",
        "export --output x",
        "show 1",
        "retry 1",
        "cancel 1",
        "retry --type t",
        "delete 1",
        "trigger 1",
        "audit",
        "retention",
        "cleanup",
        "vacuum"
    })
    void readingCommandsCreateNoDatabase(String command) {
        Path file = folder.resolve("no.db");
        Answer answer = windrow((command + " --json --db " + file).split(" "));
        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.err()).contains(file.toString());
        assertThat(answer.out()).isEmpty();
        assertThat(file).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://me:secret@host/db, 2",
        "jdbc:postgresql://me:secret@host:5432/db, 2",
        "jdbc:postgresql://host?password=secret, 2",
        "jdbc:postgresql://host:port/db?password=secret, 2",
        "jdbc:postgresql://host/db?password=a&secret, 2",
        "jdbc:postgresql://host/db?password=secret%zz, 2",
        "jdbc:postgresql://host/db?service=nosuch&password=secret, 2",
        "jdbc:postgresql:/db?password=secret, 2",
        "jdbc:mysql://me:secret@host/db?password=secret, 2",
        "jdbc:secret, 2",
        "postgres://me:secret@host/db, 2",
        "POSTGRESQL://me:secret@host/db, 2",
        "jdbc:postgresql://127.0.0.1:1/db?password=secret, 1",
        "JDBC:PostgreSQL://127.0.0.1:1/db?password=secret&sslpassword=secret, 1",
        "jdbc:postgresql://nosuch.invalid/db?user=me&password=secret, 1"
    })
    void aUrlThatCannotBeOpenedIsRefusedWithoutItsPassword(String url, int status) {
        List<String> commands = new ArrayList<>(List.of("stats", "work", "doctor", "enqueue t"));
        if (!InProcess.isAbsent(InProcess.parser().getSubcommands().get("bench"))) {
            commands.add("bench --only commit --jobs 1");
        }
        for (String command : commands) {
            Answer answer = windrow((command + " --db " + url).split(" "));
            assertThat(answer.status()).as(answer.err()).isEqualTo(status);
            assertThat(answer.err()).startsWith("windrow: ").doesNotContain("secret", "\tat ");
            assertThat(answer.out()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "stats jdbc:postgresql://host/db?user=me&password=secret",
        "enqueue jdbc:postgresql://host/db?password=secret",
        "enqueue --file jdbc:postgresql://host/db?password=secret",
        "list --tag x --state postgres://me:secret@host/db",
        "show jdbc:postgresql://host/db?user=me&sslpassword=secret"
    })
    void errorsNeverRepeatThePasswordOfAMisplacedUrl(String line) {
        Answer answer = windrow(line.split(" "));
        assertThat(answer.status()).isNotZero();
        assertThat(answer.err()).contains("host/db").doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource({"--help", "--version", "help", "stats --help", "help work", "enqueue --help", "--json --help"})
    void askingForHelpSucceeds(String line) {
        Answer answer = windrow(line.split(" "));
        assertThat(answer.status()).isZero();
        assertThat(answer.out()).contains("windrow");
        assertThat(answer.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"demo", "enqueue", "work", "list", "show", "stats", "bench", "retry", "cancel"})
    void helpFitsATerminalOf80Columns(String command) {
        assertThat(windrow(command, "--help").out().lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }
}
