package dev.windrow.tests.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.CommandTest;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** {@code windrow chain} from outside. */
class ChainTest extends CommandTest {
    /** Returns the ids of the first and of the last job of a chain. */
    private List<String> chain(String first, String second) {
        String id = cli.enqueue(first, "--external", "7d");
        return List.of(
                id,
                cli.json("complete", id, "--continue-with", second, "--json")
                        .get("next")
                        .asString());
    }

    private List<String> ids(String... options) {
        String[] words = new String[options.length + 3];
        words[0] = "chain";
        words[1] = "list";
        System.arraycopy(options, 0, words, 2, options.length);
        words[words.length - 1] = "--json";
        return cli.json(words)
                .get("chains")
                .valueStream()
                .map(chain -> chain.get("id").asString())
                .toList();
    }

    private String stateOfChain(String id) {
        return cli.json("chain", "show", id, "--json").get("state").asString();
    }

    @Test
    void chainsAreListedNewestFirstInPages() {
        List<String> a = chain("order.ask", "order.ship");
        List<String> b = chain("order.bill", "order.close");
        String alone = cli.enqueue("order.ask");
        assertThat(ids()).containsExactly(b.get(0), a.get(0)).doesNotContain(alone);
        JsonNode page = cli.json("chain", "list", "--limit", "1", "--json");
        JsonNode listed = page.get("chains").get(0);
        assertThat(listed.propertyNames())
                .containsExactly(
                        "id", "type", "state", "finished", "length", "lastJob", "lastType", "createdAt", "finishedAt");
        assertThat(listed.get("type").asString()).isEqualTo("order.bill");
        assertThat(listed.get("length").asInt()).isEqualTo(2);
        assertThat(listed.get("lastJob").asString()).isEqualTo(b.get(1));
        assertThat(listed.get("lastType").asString()).isEqualTo("order.close");
        assertThat(listed.get("finishedAt").isNull()).isTrue();
        assertThat(page.get("looked").asInt()).isEqualTo(1);
        assertThat(page.get("skipped").asInt()).isZero();
        assertThat(ids("--after", page.get("next").asString())).containsExactly(a.get(0));
        assertThat(cli.run("chain", "list", "--limit", "1").out())
                .containsPattern(b.get(0) + " +PENDING +order.bill +2 +" + b.get(1) + " +order.close")
                .contains("next page: --after " + b.get(0));
        assertThat(ids("--type", "order.ask")).containsExactly(a.get(0));
        assertThat(ids("--state", "FAILED,CANCELLED")).isEmpty();
        assertThat(cli.run("chain", "list", "--state", "FAILED").out()).contains("no matching chains");
    }

    @Test
    void aChainIsCancelledAndRetriedByTheIdOfAnyOfItsJobs() {
        List<String> chain = chain("order.ask", "order.ship");
        assertThat(cli.json("chain", "cancel", chain.get(0), "--json").toString())
                .isEqualTo("{\"changed\":1,\"ids\":[\"%s\"]}".formatted(chain.get(1)));
        assertThat(stateOfChain(chain.get(0))).isEqualTo("CANCELLED");
        assertThat(ids("--state", "CANCELLED")).containsExactly(chain.get(0));
        Result again = cli.run("chain", "cancel", chain.get(0));
        assertThat(again.status()).isEqualTo(1);
        assertThat(again.err()).contains(chain.get(1), "CANCELLED");
        assertThat(cli.run("chain", "retry", chain.get(1), "--reason", "ticket 4711")
                        .out())
                .contains("job " + chain.get(1) + " of the chain is retried");
        assertThat(stateOfChain(chain.get(1))).isEqualTo("PENDING");
        assertThat(cli.run("audit").out()).contains("ticket 4711");
        Result missing = cli.run("chain", "retry", "4711");
        assertThat(missing.status()).isEqualTo(1);
        assertThat(missing.err()).contains("4711");
    }

    @Test
    void wrongUsageIsRefused() {
        String id = cli.enqueue("order.ask");
        String[][] wrong = {
            {"chain", "the verb is missing"},
            {"chain", id, id},
            {"chain", "cancel", "ID is missing"},
            {"chain", "show", "first", "ID: 'first' is not allowed"},
            {"chain", "retry", id, "--type", "t", "--type"},
            {"chain", "list", id, id},
            {"chain", "show", id, "--reason", "r", "--reason"},
            {"chain", "list", "--type", "t/", "--type"},
            {"chain", "list", "--limit", "0", "--limit"},
            {"chain", "list", "--state", "LOST", "LOST"},
            {"chain", "list", "--after", "x", "--after"},
        };
        for (String[] words : wrong) {
            Result result = cli.run(java.util.Arrays.copyOf(words, words.length - 1));
            assertThat(result.status()).as("%s", (Object) words).isEqualTo(2);
            assertThat(result.err()).contains(words[words.length - 1]);
            assertThat(result.out()).isEmpty();
        }
    }
}
