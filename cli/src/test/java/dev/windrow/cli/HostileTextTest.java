package dev.windrow.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.cli.database.LateCodec;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.sqlite.SqliteStore;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No control sequence reaches the terminal from a store, from the user's arguments, or from an error. */
class HostileTextTest {
    private static final String HOSTILE = "\u001b]0;x\u0007\u001b[31m\u009b2J\r\u007f\u202e\u2066\u200f\u061c\b!";
    /**
     * The control characters except line ends and tabs, C1 controls, and characters that change the direction of
     * writing.
     */
    private static final Pattern OBEYED =
            Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]");

    @TempDir
    private static Path folder;

    private static Path file;
    private static long failed;

    /**
     * Fills a store with hostile text: where the library accepts it from applications, and by hand where it accepts
     * only well-formed text.
     */
    @BeforeAll
    static void fillAStore() throws Exception {
        file = folder.resolve("x" + HOSTILE.replace("/", "") + ".db");
        JobType<Json, Json> type = JobType.of("t", Json.class, Json.class).withMaxAttempts(1);
        Json value = new Json("\"\u202e\u200f\u009b\u007f\u2066\"");
        JobRef<Json> job;
        try (Windrow windrow =
                Windrow.configure(SqliteStore.at(file)).codec(new LateCodec()).open()) {
            job = windrow.enqueue(type.job(value)
                    .withName(HOSTILE)
                    .withTags(HOSTILE)
                    .withDedupeKey(HOSTILE)
                    .withConcurrencyKey(ConcurrencyKey.of(HOSTILE)));
            try (Worker worker = windrow.worker()
                    .handle(type, (payload, context) -> {
                        context.log(LogLevel.WARN, HOSTILE);
                        context.progress(0.5, HOSTILE);
                        context.output(HOSTILE);
                        throw JobFailure.permanent("INVALID_INPUT:X", HOSTILE);
                    })
                    .start()) {
                worker.awaitIdle();
            }
            JobRef<Json> parent = windrow.enqueue(type.job(value).withName(HOSTILE));
            windrow.enqueue(type.job(value).withParents(parent));
        }
        failed = job.id();
        for (String words : List.of("schedule add s t --every 1d", "pause q --reason x", "pause --key k --reason x")) {
            assertThat(windrow(words.split(" ")).status()).isZero();
        }
        byHand(
                "UPDATE windrow_actors SET name = name || char(27) || name || char(7, 8238, 155)",
                "UPDATE windrow_lanes SET queue = queue || char(27, 91, 50, 74, 7), type = type || char(27, 8238, 155)",
                "UPDATE windrow_jobs SET error_code = error_code || char(27, 8238)",
                "UPDATE windrow_attempts SET error_code = error_code || char(27, 8238)",
                "UPDATE windrow_attempt_texts SET text = text || char(10, 27, 8238, 155)",
                "UPDATE windrow_events SET detail = json_object('a', char(27) || char(8238, 155))",
                "UPDATE windrow_audit SET detail = json_object('a', char(27) || char(8238, 155))",
                "UPDATE windrow_limits SET name = name || char(27, 8238), pause_reason = char(27, 7, 8238)",
                "UPDATE windrow_schedules SET name = name || char(27), queue = queue || char(27, 8238), type = type || char(27),"
                        + " job_name = char(27, 7, 8238), pause_reason = char(27, 8238)",
                "INSERT INTO windrow_workers VALUES (1, char(27, 8238), char(27, 7), 1, char(27), json_array(char(27, 8238)),"
                        + " json_array(char(27)), 1, 1, 1, 99999999999999, char(27), 0, 0)");
    }

    private static void byHand(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                assertThat(statement.executeUpdate(each)).as(each).isPositive();
            }
        }
    }

    private record Answer(int status, String out, String err) {}

    private static Answer windrow(String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] all = new String[words.length + 3];
        System.arraycopy(words, 0, all, 0, words.length);
        System.arraycopy(new String[] {"--db=" + file, "--color", "never"}, 0, all, words.length, 3);
        int status = Main.run(
                TestConsole.of(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8)),
                all);
        return new Answer(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "show ID",
                "explain ID",
                "explain ID --json",
                "show ID --json",
                "list",
                "list --json",
                "list --stack-traces",
                "list --tag HOSTILE",
                "list --queue HOSTILE",
                "list --workflow HOSTILE",
                "export",
                "export --output FOLDER/HOSTILE",
                "stats",
                "stats --json",
                "top --once",
                "workers",
                "audit",
                "health",
                "health --queue HOSTILE",
                "doctor --verbose",
                "schedule list",
                "schedule show HOSTILE",
                "schedule remove HOSTILE",
                "chain ID",
                "retry HOSTILE",
                "retry ID --dry-run",
                "cancel --tag HOSTILE --dry-run",
                "pause HOSTILE",
                "pause --key HOSTILE",
                "pause p --reason HOSTILE",
                "resume --key HOSTILE",
                "limit --key HOSTILE --running 1",
                "enqueue HOSTILE",
                "enqueue t HOSTILE",
                "enqueue t --tag HOSTILE",
                "enqueue t --dedupe-key HOSTILE",
                "enqueue --file HOSTILE",
                "enqueue exec -- HOSTILE",
                "signal ID HOSTILE",
                "complete ID HOSTILE",
                "fail ID --error-code HOSTILE",
                "retention set failed HOSTILE",
                "cleanup --dry-run",
                "cleanup --archive FOLDER/HOSTILE",
                "backup FOLDER/HOSTILE",
                "work --handlers HOSTILE",
                "work --until-idle",
                "config",
                "HOSTILE",
                "list HOSTILE",
                "list --HOSTILE",
                "completion HOSTILE",
                "copy --to HOSTILE/x",
                "vacuum"
            })
    void noControlSequenceReachesTheTerminal(String line) {
        String[] words = line.replace("ID", Long.toString(failed)).split(" ");
        for (int i = 0; i < words.length; i++) {
            words[i] = words[i].replace("HOSTILE", HOSTILE).replace("FOLDER", folder.toString());
        }
        Answer answer = windrow(words);
        assertThat(answer.out() + answer.err()).isNotEmpty();
        assertThat(OBEYED.matcher(answer.out()).find()).as(answer.out()).isFalse();
        assertThat(OBEYED.matcher(answer.err()).find()).as(answer.err()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"show ID", "list", "workers", "schedule list"})
    void controlCharactersAreShownAsPictures(String line) {
        Answer answer = windrow(line.replace("ID", Long.toString(failed)).split(" "));
        assertThat(answer.status()).as(answer.err()).isZero();
        assertThat(answer.out()).contains("\u241b");
    }

    @Test
    void storedTextIsExactInJson() {
        String shown = windrow("show", Long.toString(failed), "--json").out();
        assertThat(shown).contains("\"payload\":\"\\u202e\\u200f\\u009b\\u007f\\u2066\"");
    }
}
