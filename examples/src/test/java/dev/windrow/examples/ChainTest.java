package dev.windrow.examples;

import static dev.windrow.examples.Chain.CRAWL;
import static dev.windrow.examples.Chain.FETCH;
import static dev.windrow.examples.Chain.SUMMARY;
import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.ChainRef;
import dev.windrow.Windrow;
import dev.windrow.examples.Chain.Page;
import dev.windrow.examples.Chain.Summary;
import dev.windrow.testkit.WindrowTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whole chain runs before the enqueue returns. */
class ChainTest {
    @RegisterExtension
    final WindrowTest test = WindrowTest.inline()
            .handleVoid(FETCH, Chain::fetch)
            .handle(SUMMARY, (entries, job) -> new Summary(3, entries));

    @Test
    void allPagesAreFetched(Windrow windrow) {
        ChainRef<Summary> chain = windrow.enqueue(CRAWL, new Page("a", 0));
        assertThat(windrow.awaitChain(chain, ZERO)).isEqualTo(new Summary(3, 6));
        test.enqueued(FETCH).times(3).withInput(new Page("c", 5)).once();
    }
}
