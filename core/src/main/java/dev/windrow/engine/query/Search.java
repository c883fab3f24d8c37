package dev.windrow.engine.query;

import dev.windrow.InvalidRequestException;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobMatches;
import dev.windrow.query.JobPage;
import dev.windrow.query.PayloadMatch;
import dev.windrow.store.OpenStore;
import dev.windrow.store.payload.PayloadPage;
import dev.windrow.store.query.PageRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Searches payloads or metadata. Paths are resolved here and not by the database, for two reasons. No function of either database
 * keeps the guarantees of a search for numbers, repeated names and texts. A payload that is not JSON would fail a
 * statement of PostgreSQL. For jobs that do not match, only the payload is read.
 */
public final class Search {
    static final int MAX_LOOK = 100_000;

    /** The number of payloads in the first batch. Later batches grow while few payloads match. */
    private static final int FIRST_PART = 200;

    /** The most bytes of separately stored payloads that one call reads. */
    private static final long APART_BYTES = 64L << 20;

    private final OpenStore store;
    private final Texts texts;
    private final UnaryOperator<Json> loaded;

    /** Reads the payloads or the metadata of the next jobs, at most {@code max}. */
    public interface Texts {
        PayloadPage read(PageRequest query, int max);
    }

    /**
     * Creates a search.
     *
     * @param texts reads the searched texts
     * @param loaded loads a separately stored payload, if it is not too long
     */
    public Search(OpenStore store, Texts texts, UnaryOperator<Json> loaded) {
        this.store = store;
        this.texts = texts;
        this.loaded = loaded;
    }

    public JobMatches search(PageRequest query, PayloadMatch match, int look) {
        check(query, look);
        List<Long> found = new ArrayList<>();
        int looked = 0;
        int skipped = 0;
        long apart = 0;
        Long next = query.after();
        int part = FIRST_PART;
        boolean goesOn = true;
        while (goesOn) {
            int wanted = Math.min(part, look - looked - skipped);
            PayloadPage page = texts.read(query.after(next), wanted);
            int got = page.payloads().size();
            // Of long payloads a page has only a few. A request for more than the page has would read the same payloads
            // again.
            part = got < wanted ? Math.max(FIRST_PART, 2 * got) : Math.min(4 * part, MAX_LOOK);
            next = page.next();
            for (PayloadPage.Payload payload : page.payloads()) {
                Json json = payload.json();
                BlobRef ref = json == null ? null : BlobRef.of(json.text());
                if (ref != null) {
                    json = loaded.apply(json);
                    apart += BlobRef.of(json.text()) == null ? ref.bytes() : 0;
                }
                if (json != null && BlobRef.of(json.text()) != null) {
                    skipped++;
                } else {
                    looked++;
                    if (json != null && match.matches(json)) {
                        found.add(payload.job());
                    }
                }
                if (found.size() == query.limit() || apart > APART_BYTES) {
                    long last = page.payloads().get(page.payloads().size() - 1).job();
                    next = payload.job() == last ? next : Long.valueOf(payload.job());
                    return matches(query, found, next, looked, skipped);
                }
            }
            goesOn = next != null && page.full() && looked + skipped < look;
        }
        return matches(query, found, next, looked, skipped);
    }

    /**
     * Returns the found jobs. Leaves out jobs that have changed since their payloads were read and do not match the
     * filter any more.
     */
    private JobMatches matches(PageRequest query, List<Long> found, @Nullable Long next, int looked, int skipped) {
        JobPage page = store.jobs(query.filter(), found);
        return new JobMatches(page.jobs(), page.next() == null ? next : page.next(), looked, skipped);
    }

    private static void check(PageRequest query, int look) {
        if (look < 1 || look > MAX_LOOK) {
            throw new InvalidRequestException("comparing %d texts is not allowed: 1 to %d".formatted(look, MAX_LOOK));
        }
        if (query.before() != null) {
            throw new InvalidRequestException("a search goes forward: give a position to continue after, not before");
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
                    "a search also needs a filter: a state, type, queue, tag, workflow, chain or parent");
        }
    }
}
