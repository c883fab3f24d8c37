package dev.windrow.tests.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Metadata on the command line: enqueue, show, list, search and change. */
class MetadataTest {
    @TempDir
    private Path folder;

    private Cli cli;
    private String id;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
        id = cli.enqueue("ship", "--metadata", "{ \"customer\": 42.0, \"description\": \"Order\\n7\" }");
    }

    @Test
    void metadataAreShownAndListed() {
        Result json = cli.run("show", id, "--json");
        assertThat(json.out()).contains("\"metadata\":{ \"customer\": 42.0, \"description\": \"Order\\n7\" }");
        assertThat(cli.run("show", id).out())
                .containsPattern("description +Order.7")
                .contains("Metadata");
        assertThat(cli.json("list", "--json").at("/jobs/0/metadata/customer").asInt())
                .isEqualTo(42);
        assertThat(cli.run("list").out()).containsPattern("Order.7");
        String without = cli.enqueue("ship");
        assertThat(cli.json("show", without, "--json").get("metadata").isNull()).isTrue();
        assertThat(cli.run("show", without).out()).doesNotContain("Metadata").doesNotContain("description");
    }

    @Test
    void metadataAreChangedByAMergePatch() {
        Result changed =
                cli.process("metadata", id, "{\"carrier\":\"DHL\",\"description\":null,\"customer\":43}", "--json");
        assertThat(changed.status()).isZero();
        assertThat(changed.out().strip())
                .isEqualTo("{\"id\":\"%s\",\"metadata\":{\"customer\":43,\"carrier\":\"DHL\"}}".formatted(id));
        cli.run("cancel", id);
        assertThat(cli.run("metadata", id, "{\"customer\":null,\"carrier\":null}")
                        .out())
                .isEqualTo("{}\n");
        assertThat(cli.json("metadata", id, "--json").get("metadata").isNull()).isTrue();
        JsonNode entry = cli.json("audit", "--json").at("/audit/0");
        assertThat(entry.get("action").asString()).isEqualTo("MERGE_METADATA");
        assertThat(entry.at("/jobs/0/id").asString()).isEqualTo(id);
    }

    @Test
    void jobsAreFoundByTheirMetadata() {
        String other = cli.enqueue("ship", "--metadata", "{\"customer\":7,\"a b\":[\"x\"]}");
        JsonNode found = cli.json("list", "--type", "ship", "--metadata", "customer=42", "--json");
        assertThat(found.get("jobs")).hasSize(1);
        assertThat(found.at("/jobs/0/id").asString()).isEqualTo(id);
        assertThat(found.get("looked").asInt()).isEqualTo(2);
        assertThat(found.get("next").isNull()).isTrue();
        assertThat(cli.json("list", "--type", "ship", "--metadata", "$['a b']~x", "--json")
                        .at("/jobs/0/id")
                        .asString())
                .isEqualTo(other);
        assertThat(cli.run("list", "--type", "ship", "--metadata", "customer=8").out())
                .contains("no matching jobs", "read 2 jobs");
    }

    @Test
    void aFileOfJobsHasMetadata() throws IOException {
        Path file = Files.writeString(
                folder.resolve("jobs.jsonl"),
                "{\"type\":\"a\",\"metadata\":{\"n\": 1}}\n{\"type\":\"a\",\"metadata\":null}\n");
        assertThat(cli.run("enqueue", "--file", file.toString()).status()).isZero();
        JsonNode jobs =
                cli.json("list", "--type", "a", "--oldest-first", "--json").get("jobs");
        assertThat(jobs.get(0).at("/metadata/n").asInt()).isEqualTo(1);
        assertThat(jobs.get(1).get("metadata").isNull()).isTrue();
        Files.writeString(file, "{\"type\":\"a\",\"metadata\":[1]}\n");
        Result wrong = cli.run("enqueue", "--file", file.toString());
        assertThat(wrong.status()).isEqualTo(1);
        assertThat(wrong.err()).contains("metadata must be an object");
    }

    @Test
    void theJobsOfAScheduleHaveMetadata() {
        cli.run("schedule", "add", "daily", "report", "--every", "1d", "--metadata", "{\"team\":\"ops\"}");
        cli.run("schedule", "run", "daily");
        assertThat(cli.json("list", "--type", "report", "--json")
                        .at("/jobs/0/metadata/team")
                        .asString())
                .isEqualTo("ops");
    }

    @Test
    void wrongUsesAreRefused() {
        for (List<String> words : List.of(
                List.of("enqueue", "ship", "--metadata", "[]"),
                List.of("enqueue", "ship", "--metadata", "{\"a\":\"" + "x".repeat(9000) + "\"}"),
                List.of("schedule", "list", "--metadata", "{}"),
                List.of("metadata"),
                List.of("metadata", "x"),
                List.of("metadata", id, "1"),
                List.of("list", "--metadata", "customer=42"),
                List.of("list", "--type", "ship", "--metadata", "a", "--payload", "$.a"),
                List.of("list", "--type", "ship", "--metadata", "a b="))) {
            assertThat(cli.run(words.toArray(String[]::new)).status())
                    .as("%s", words)
                    .isEqualTo(2);
        }
        assertThat(cli.run("metadata", id, "1").err()).contains("JSON: ");
        Result missing = cli.run("metadata", "4711", "{}");
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.err()).contains("4711");
    }
}
