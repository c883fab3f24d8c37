package dev.windrow.engine.workflow;

import dev.windrow.query.JobQuery;
import dev.windrow.store.OpenStore;
import dev.windrow.validation.Bounds;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainPage;
import dev.windrow.workflow.ChainQuery;

/**
 * A listing of chains.
 *
 * @param after the page has chains with smaller ids
 */
public record ChainListing(OpenStore store, ChainFilter filter, long after, int limit) implements ChainQuery {
    @Override
    public ChainQuery limit(int chains) {
        Bounds.range("limit", chains, 1, JobQuery.MAX_LIMIT);
        return new ChainListing(store, filter, after, chains);
    }

    @Override
    public ChainQuery after(long position) {
        return new ChainListing(store, filter, position, limit);
    }

    @Override
    public ChainPage page() {
        return store.chains(filter, after, limit);
    }
}
