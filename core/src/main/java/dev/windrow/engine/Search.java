package dev.windrow.engine;

import dev.windrow.BlobRef;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobFilter;
import dev.windrow.JobMatches;
import dev.windrow.JobPage;
import dev.windrow.JobQuery;
import dev.windrow.JobSnapshot;
import dev.windrow.Json;
import dev.windrow.PayloadMatch;
import dev.windrow.store.OpenStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Looks into payloads. No index knows of them, and no database need know JSON as strictly as it would to find them by SQL: they are
 * read a page at a time and looked at here, so many in one call.
 */
final class Search {
    static final int MAX_LOOK = 100_000;

    /** Payloads that are read at once at most, if they are not too long together. */
    private static final int PART = 100;
    /** Of what is kept apart no more is read in one call. */
    private static final long APART_BYTES = 64L << 20;

    private final OpenStore store;
    private final UnaryOperator<Json> loaded;

    /** By what loads a payload that is kept apart, if it is not too long. */
    Search(OpenStore store, UnaryOperator<Json> loaded) {
        this.store = store;
        this.loaded = loaded;
    }

    JobMatches search(JobQuery query, PayloadMatch match, int look) {
        check(query, look);
        List<JobSnapshot> found = new ArrayList<>();
        long looked = 0;
        long skipped = 0;
        long apart = 0;
        Long at = query.after();
        while (true) {
            // Long pages: for some filters all that may be on any page is sorted for each.
            int size = (int) Math.min(JobQuery.MAX_LIMIT, look - looked - skipped);
            JobPage page = store.list(query.after(at).limit(size));
            List<@Nullable Json> payloads = List.of();
            int first = 0;
            for (int i = 0; i < page.jobs().size(); i++) {
                if (i == first + payloads.size()) {
                    payloads = payloads(page.jobs()
                            .subList(i, Math.min(i + PART, page.jobs().size())));
                    first = i;
                }
                JobSnapshot job = page.jobs().get(i);
                Json payload = payloads.get(i - first);
                BlobRef ref = payload == null ? null : BlobRef.of(payload.text());
                if (ref != null) {
                    payload = loaded.apply(payload);
                    apart += BlobRef.of(payload.text()) == null ? ref.bytes() : 0;
                }
                if (payload != null && BlobRef.of(payload.text()) != null) {
                    skipped++;
                } else {
                    looked++;
                    if (payload != null && match.matches(payload)) {
                        found.add(job);
                    }
                }
                boolean last = i == page.jobs().size() - 1;
                if (found.size() == query.limit() || apart > APART_BYTES) {
                    return new JobMatches(found, last ? page.next() : Long.valueOf(job.id()), looked, skipped);
                }
            }
            at = page.next();
            // A short page that is not the end has taken as long as the store gives one call.
            if (at == null || page.jobs().size() < size || looked + skipped >= look) {
                return new JobMatches(found, at, looked, skipped);
            }
        }
    }

    private List<@Nullable Json> payloads(List<JobSnapshot> jobs) {
        return store.payloads(jobs.stream().map(JobSnapshot::id).toList());
    }

    private static void check(JobQuery query, int look) {
        if (look < 1 || look > MAX_LOOK) {
            throw new InvalidRequestException(
                    "a look at %d payloads is not allowed; allowed: 1 to %d".formatted(look, MAX_LOOK));
        }
        if (query.before() != null) {
            throw new InvalidRequestException("a search goes forward: give a place to go on after, not before");
        }
        JobFilter filter = query.filter();
        if (filter.states().isEmpty()
                && filter.type() == null
                && filter.queue() == null
                && filter.tags().isEmpty()
                && filter.workflow() == null
                && filter.chain() == null
                && filter.parent() == null) {
            throw new InvalidRequestException(
                    "a search in payloads needs a filter beside it: a state, type, queue, tag, workflow, chain or parent");
        }
    }
}
