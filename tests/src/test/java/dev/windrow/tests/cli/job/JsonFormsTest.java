package dev.windrow.tests.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Schedule;
import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.CommandTest;
import dev.windrow.wire.JobJson;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.JsonScan;
import dev.windrow.wire.LimitJson;
import dev.windrow.wire.MonitorJson;
import dev.windrow.wire.Redactor;
import dev.windrow.wire.RetentionJson;
import dev.windrow.wire.ScheduleJson;
import dev.windrow.wire.WorkflowJson;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.WorkflowFilter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The command line prints the bytes of the forms in {@code dev.windrow.wire}, which the HTTP API sends too. */
class JsonFormsTest extends CommandTest {
    private static final JobType<Json, Json> TYPE = JobType.of("t", Json.class, Json.class);
    /** A sequence for a terminal, text from right to left, an emoji. */
    private static final String HOSTILE = "\u001b[31m\u0007\u009b2J\u202eabc\u2066\"\\\ud83d\ude00";
    /** An unpaired surrogate in its escape, numbers that no double has, white space, text from right to left. */
    private static final String PAYLOAD =
            "{ \"n\":9223372036854775807,\r\n\t\"d\": 1.50e+07, \"s\":\"\\ud800\u202e\u007f\\u0000\", \"password\":\"hunter2\","
                    + " \"deep\":[{\"accessToken\":123456789012345678901234567890}] }";

    private Windrow windrow;
    private JobRef<Json> job;

    @BeforeEach
    void runAJob() throws InterruptedException {
        windrow = Windrow.open(target.newStore());
        job = windrow.enqueue(TYPE.job(new Json(PAYLOAD))
                .withName(HOSTILE)
                .withTags(HOSTILE)
                .withMetadata(Metadata.none().with("text", HOSTILE).with("api_key", "k-1")));
        try (Worker worker = windrow.worker()
                .handle(TYPE, (payload, context) -> {
                    context.log(LogLevel.WARN, HOSTILE);
                    context.output(HOSTILE);
                    Json step = context.step(
                            "one", Json.class, () -> new Json("{\"secret\":1,\"kept\":9223372036854775807}"));
                    return new Json("{\"cookie\":[1],\"step\":" + step.text() + "}");
                })
                .start()) {
            worker.awaitIdle();
        }
    }

    @AfterEach
    void close() {
        windrow.close();
    }

    private void printsTheBytesOf(Supplier<JsonObject> form, String... words) {
        Cli.Result printed = cli.run(words);
        assertThat(printed.status()).as(printed.err()).isZero();
        assertThat(printed.out()).isEqualTo(form.get() + "\n");
        assertThat(JsonScan.isOneValue(printed.out())).isTrue();
    }

    private String id() {
        return job.toString();
    }

    @Test
    void showAndExportPrintTheBytesOfTheFormAlsoForHostileText() {
        JsonObject form = JobJson.history(windrow.job(job).history());
        assertThat(form.toString())
                .contains("\"n\":9223372036854775807", "\"d\": 1.50e+07", "\\ud800\\u202e\\u007f\\u0000", "\\u001B[31m")
                .doesNotContainPattern("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\ud800]");
        printsTheBytesOf(() -> form, "show", id(), "--json");
        assertThat(cli.run("export").out())
                .isEqualTo(JobJson.line(windrow.job(job).history()) + "\n")
                .hasLineCount(1);
    }

    @Test
    void storedTextThatIsNotJsonIsPrintedAsAString() throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE %s SET payload = '{oops, \"password\": 1'"
                            .formatted(target.isFile() ? "windrow_payloads" : "windrow_inputs")))
                    .isOne();
        }
        JsonObject form = JobJson.history(windrow.job(job).history());
        assertThat(form.toString()).contains("\"payload\":\"{oops, \\\"password\\\": 1\"");
        printsTheBytesOf(() -> form, "show", id(), "--json");
        assertThat(cli.json("show", id(), "--json", "--redact").get("payload").asString())
                .isEqualTo("[redacted]");
    }

    @Test
    void confidentialValuesOfAllDocumentsAreRedactedInEachOutput() {
        printsTheBytesOf(
                () -> JobJson.history(windrow.job(job).history(), Redactor.standard()),
                "show",
                id(),
                "--json",
                "--redact");
        String json = cli.run("show", id(), "--json", "--redact").out();
        assertThat(json)
                .contains(
                        "\"password\":\"[redacted]\"",
                        "{\"accessToken\":\"[redacted]\"}",
                        "\"api_key\":\"[redacted]\"",
                        "{\"secret\":\"[redacted]\",\"kept\":9223372036854775807}",
                        "{\"cookie\":\"[redacted]\",\"step\":{\"secret\":\"[redacted]\"",
                        "\"n\":9223372036854775807");
        assertThat(List.of(
                        json,
                        cli.run("export", "--redact").out(),
                        cli.run("show", id(), "--redact").out()))
                .allSatisfy(out -> assertThat(out)
                        .contains("[redacted]")
                        .doesNotContain("hunter2", "12345678901234567890", "k-1", "\"secret\":1", "\"cookie\":[1]"));
        assertThat(cli.run("show", id()).out()).contains("hunter2", "k-1").doesNotContain("[redacted]");
    }

    @Test
    void confidentialValuesAreRedactedInListsChainsAndSchedules() {
        Redactor redactor = Redactor.standard();
        printsTheBytesOf(
                () -> JobJson.page(
                        windrow.jobs(JobFilter.ALL).newestFirst().page(), each -> JobJson.listed(each, redactor)),
                "list",
                "--json",
                "--redact");
        var chain = windrow.chain(job.id());
        printsTheBytesOf(
                () -> WorkflowJson.chain(chain.info(), chain.jobs(), redactor),
                "chain",
                "show",
                id(),
                "--json",
                "--redact");
        windrow.schedules().save(Schedule.every("s", Duration.ofDays(1), TYPE.job(new Json(PAYLOAD))));
        printsTheBytesOf(
                () -> ScheduleJson.list(windrow.schedules().list(), redactor),
                "schedule",
                "list",
                "--json",
                "--redact");
        for (List<String> words : List.of(
                List.of("list", "--json", "--redact"),
                List.of("chain", "show", id(), "--json", "--redact"),
                List.of("schedule", "list", "--json", "--redact"),
                List.of("schedule", "show", "s", "--json", "--redact"),
                List.of("schedule", "show", "s", "--redact"),
                List.of("schedule", "pause", "s", "--json", "--redact"))) {
            assertThat(cli.run(words.toArray(String[]::new)).out())
                    .as(words.toString())
                    .contains("[redacted]")
                    .doesNotContain("hunter2", "12345678901234567890", "k-1");
        }
        assertThat(cli.run("schedule", "show", "s").out()).contains("hunter2").doesNotContain("[redacted]");
        assertThat(cli.run("list").out()
                        + cli.run("chain", "show", id()).out()
                        + cli.run("schedule", "list").out())
                .doesNotContain("hunter2", "k-1");
    }

    @Test
    void listsAndOtherRoomsPrintTheBytesOfTheirForms() {
        Windrow w = windrow;
        w.schedules().save(Schedule.every("s", Duration.ofDays(1), TYPE.job(new Json(PAYLOAD))));
        printsTheBytesOf(
                () -> JobJson.page(w.jobs(JobFilter.ALL).newestFirst().page(), JobJson::listed), "list", "--json");
        printsTheBytesOf(() -> JobJson.explanation(w.job(job).explain()), "explain", id(), "--json");
        printsTheBytesOf(() -> LimitJson.limits(w.queue("default").limits()), "pause", "default", "--json");
        printsTheBytesOf(() -> ScheduleJson.list(w.schedules().list()), "schedule", "list", "--json");
        printsTheBytesOf(() -> RetentionJson.rules(w.retention().rules()), "retention", "--json");
        printsTheBytesOf(
                () -> MonitorJson.audit(w.monitor().audit(AuditFilter.ALL).page()), "audit", "--json");
        printsTheBytesOf(() -> WorkflowJson.page(w.chains(ChainFilter.ALL).page()), "chain", "list", "--json");
        printsTheBytesOf(() -> WorkflowJson.page(w.workflows(WorkflowFilter.ALL).page()), "workflow", "list", "--json");
    }
}
