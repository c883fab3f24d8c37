package dev.windrow.tests.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.CommandTest;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow list} from outside. */
class ListTest extends CommandTest {
    @BeforeEach
    void enqueueSome() throws IOException {
        Files.writeString(folder.resolve("jobs.jsonl"), """
                {"type":"a","queue":"one","tags":["x"],"name":"the first"}
                {"type":"b","queue":"one","tags":["x","y"]}
                {"type":"a","queue":"two","delay":"1h"}
                {"type":"a","queue":"two","tags":["y"],"payload":{"secret":1}}
                """);
        cli.json("enqueue", "--file", "jobs.jsonl", "--json");
    }

    private int count(String... filters) {
        List<String> words = new ArrayList<>(List.of("list", "--json"));
        words.addAll(List.of(filters));
        return cli.json(words.toArray(String[]::new)).get("jobs").size();
    }

    @Test
    void listPrintsEveryKeyInJson() {
        JsonNode page = cli.json("list", "--json");
        assertThat(page.propertyNames()).contains("jobs", "next");
        assertThat(page.get("next").isNull()).isTrue();
        assertThat(page.get("jobs"))
                .hasSize(4)
                .allSatisfy(job -> assertThat(job.propertyNames())
                        .contains(
                                "id",
                                "type",
                                "queue",
                                "name",
                                "state",
                                "version",
                                "priority",
                                "attempt",
                                "maxAttempts",
                                "errorCode",
                                "errorDetail",
                                "createdAt",
                                "scheduledAt",
                                "startedAt",
                                "finishedAt",
                                "worker",
                                "chainId",
                                "chainIndex",
                                "dependsOn",
                                "dependents",
                                "tags",
                                "dedupeKey",
                                "progress",
                                "traceparent")
                        .doesNotContain("payload", "result", "attempts", "events", "log"));
    }

    @Test
    void filtersLimitTheList() {
        assertThat(count("--type", "a")).isEqualTo(3);
        assertThat(count("--queue", "one")).isEqualTo(2);
        assertThat(count("--tag", "x")).isEqualTo(2);
        assertThat(count("--state", "SCHEDULED")).isEqualTo(1);
        assertThat(count("--state", "pending", "--type", "a", "--queue", "two", "--tag", "y"))
                .isEqualTo(1);
        assertThat(count("--error-code", "PROCESS:START")).isZero();
        assertThat(count("--created-after", "2099-01-01T00:00:00Z")).isZero();
        assertThat(count("--created-after", "2001-01-01T00:00:00+02:00")).isEqualTo(4);
    }

    @Test
    void pagesFollowOneAnother() {
        List<String> ids = new ArrayList<>();
        JsonNode page = cli.json("list", "--json", "--limit", "3");
        page.get("jobs").forEach(job -> ids.add(job.get("id").asString()));
        String next = page.get("next").asString();
        JsonNode last = cli.json("list", "--json", "--limit", "3", "--after", next);
        last.get("jobs").forEach(job -> ids.add(job.get("id").asString()));
        assertThat(last.get("next").isNull()).isTrue();
        assertThat(ids).hasSize(4).doesNotHaveDuplicates();
    }

    @Test
    void withoutJsonTheListIsATable() {
        String table = cli.run("list").out();
        assertThat(table.lines()).hasSize(5);
        assertThat(table).contains("ID", "STATE", "SCHEDULED", "the first");
    }

    @Test
    void pagesAreTurnedInBothDirectionsAndOrders() {
        List<String> all = new ArrayList<>();
        cli.json("list", "--json", "--oldest-first")
                .get("jobs")
                .forEach(job -> all.add(job.get("id").asString()));
        assertThat(all).hasSize(4).isSortedAccordingTo(Comparator.comparing(Long::valueOf));
        JsonNode first = cli.json("list", "--json", "--oldest-first", "--limit", "3");
        assertThat(first.get("previous").isNull()).isTrue();
        JsonNode second = cli.json(
                "list", "--json", "--oldest-first", "--after", first.get("next").asString());
        assertThat(second.get("jobs"))
                .singleElement()
                .satisfies(job -> assertThat(job.get("id").asString()).isEqualTo(all.get(3)));
        JsonNode back = cli.json(
                "list",
                "--json",
                "--oldest-first",
                "--limit",
                "2",
                "--before",
                second.get("previous").asString());
        assertThat(back.get("jobs")).hasSize(2);
        assertThat(back.get("jobs").get(0).get("id").asString()).isEqualTo(all.get(1));
        assertThat(cli.run("list", "--limit", "2").out()).contains("next page: --after ");
        assertThat(cli.run("list", "--after", "1", "--before", "2").err()).contains("not both");
    }

    @Test
    void everyPartOfAFilterCounts() {
        assertThat(count("--state", "SCHEDULED,FAILED")).isEqualTo(1);
        assertThat(count("--state", "PENDING", "--state", "SCHEDULED")).isEqualTo(4);
        assertThat(count("--tag", "x", "--tag", "y")).isEqualTo(1);
        assertThat(count("--name", "the first")).isEqualTo(1);
        assertThat(count("--priority", "0", "--type", "b")).isEqualTo(1);
        assertThat(count("--scheduled-after", "2001-01-01T00:00:00Z", "--created-before", "2099-01-01T00:00:00Z"))
                .isEqualTo(4);
        assertThat(count("--finished-after", "2001-01-01T00:00:00Z")).isZero();
        assertThat(cli.run("list", "--state", "PENDING,LOST").err())
                .contains("--state: 'LOST' is not allowed; allowed: BLOCKED,");
        assertThat(cli.run(
                                "list",
                                "--created-after",
                                "2026-01-02T00:00:00Z",
                                "--created-before",
                                "2026-01-01T00:00:00Z")
                        .err())
                .contains("--created-before: ", "later than the beginning");
    }
}
