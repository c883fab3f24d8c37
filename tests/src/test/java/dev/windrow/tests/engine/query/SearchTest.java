package dev.windrow.tests.engine.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobRequest;
import dev.windrow.JobSelection;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.payload.Content;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobMatches;
import dev.windrow.query.JobQuery;
import dev.windrow.query.PayloadMatch;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnceOnEachStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The search for payloads, over payloads of every form. */
@OnceOnEachStore
class SearchTest extends EngineTest {
    private static final JobType<Content, Json> BYTES = JobType.of("test.echo", Content.class, Json.class);
    private static final String LONG = "x".repeat(400_000);

    private JobSelection echoes() {
        return windrow.jobs(JobFilter.ALL.withType("test.echo"));
    }

    /** Returns jobs by the names of their payloads, one job for each payload. */
    private Map<String, Long> payloads() {
        Map<String, @Nullable String> payloads = new LinkedHashMap<>();
        payloads.put("missing", "{}");
        payloads.put("null", "{\"a\":null}");
        payloads.put("number", "{\"a\":42}");
        payloads.put("decimal", " { \"a\" : 4.20e1 } ");
        payloads.put("text", "{\"a\":\"42\"}");
        payloads.put("true", "{\"a\":true}");
        payloads.put("text true", "{\"a\":\"true\"}");
        payloads.put("nested", "{\"a\":[[{\"b\":[42,\"x\"]}],[]]}");
        payloads.put("unicode", "{\"a\":\"\uD83D\uDE00 caf\u00E9\"}");
        payloads.put("escaped", "{\"\\u0061\":\"\\uD83D\\uDE00 caf\\u00e9\"}");
        payloads.put("nul", "{\"a\":\"x\\u0000y\"}");
        payloads.put("array", "[42]");
        payloads.put("scalar", "42");
        payloads.put("no JSON", "a = 42");
        payloads.put("half", "{\"a\":42");
        payloads.put("none", null);
        payloads.put("apart", "{\"before\":\"" + LONG + "\",\"a\":42}");
        payloads.put("too long", "{\"before\":\"" + LONG.repeat(3) + "\",\"a\":42}");
        Map<String, Long> ids = new LinkedHashMap<>();
        payloads.forEach((name, text) -> ids.put(
                name,
                windrow.enqueue(ECHO.job(text == null ? null : new Json(text))).id()));
        ids.put(
                "bytes",
                windrow.enqueue(BYTES.job(Content.of("{\"a\":42}".getBytes(StandardCharsets.UTF_8))))
                        .id());
        return ids;
    }

    @Test
    void aPathIsFollowedInPayloadsOfEveryForm() {
        Map<String, Long> ids = payloads();
        Map<String, List<String>> expected = new LinkedHashMap<>();
        expected.put("$.a=42", List.of("number", "decimal", "apart"));
        expected.put("$.a=42.000", List.of("number", "decimal", "apart"));
        expected.put("$.a=\"42\"", List.of("text"));
        expected.put("$.a=null", List.of("null"));
        expected.put("$.a=true", List.of("true"));
        expected.put("$.a=\"true\"", List.of("text true"));
        expected.put("$.a[0][0].b[0]=42", List.of("nested"));
        expected.put("$.a[*][*].b~x", List.of("nested"));
        expected.put("$.a[*][*].b~42", List.of("nested"));
        expected.put("$.a[1]", List.of("nested"));
        expected.put("$.a[2]", List.of());
        expected.put("$.a=\uD83D\uDE00 caf\u00E9", List.of("unicode", "escaped"));
        expected.put("$['a']~\uD83D\uDE00", List.of("unicode", "escaped"));
        expected.put("$.a~\u00E9", List.of("unicode", "escaped"));
        expected.put("$.a~\u0000", List.of("nul"));
        expected.put("$[0]=42", List.of("array"));
        expected.put("$=42", List.of("scalar"));
        expected.put("$.b", List.of());
        expected.put("$.before~xx", List.of("apart"));
        expected.forEach((expression, names) -> {
            JobMatches found = echoes().oldestFirst().search(PayloadMatch.parse(expression));
            assertThat(found.jobs())
                    .as(expression)
                    .extracting(JobInfo::id)
                    .isEqualTo(names.stream().map(ids::get).toList());
            assertThat(found.next()).as(expression).isNull();
            assertThat(found.looked() + found.skipped()).as(expression).isEqualTo(ids.size());
            assertThat(found.skipped()).as("too long, and bytes").isEqualTo(2);
        });
    }

    @Test
    void oneCallReadsAtMost64MebibytesOfBlobs() {
        Json big = new Json("{\"a\":\"" + "x".repeat(1_000_000) + "\"}");
        for (int i = 0; i < 70; i++) {
            windrow.enqueue(ECHO.job(big));
        }
        JobQuery query = echoes().oldestFirst();
        JobMatches first = query.search(PayloadMatch.parse("$.a=y"), 1000);
        assertThat(first.looked()).as("the 68th is the first one beyond 64 MiB").isEqualTo(68);
        JobMatches rest = query.after(first.next()).search(PayloadMatch.parse("$.a=y"), 1000);
        assertThat(rest.looked()).isEqualTo(2);
        assertThat(rest.next()).isNull();
    }

    @Test
    void aSearchCanContinueFromEveryPositionWhereItStops() {
        List<JobRequest<Json, Json>> jobs = new ArrayList<>();
        for (int i = 0; i < 1234; i++) {
            jobs.add(ECHO.job(new Json("{\"n\":" + i % 7 + "}")));
        }
        List<Long> expected = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        windrow.enqueueAll(jobs).forEach(enqueued -> ids.add(enqueued.id()));
        for (int i = 0; i < jobs.size(); i++) {
            if (i % 7 == 3) {
                expected.add(ids.get(i));
            }
        }
        for (boolean oldestFirst : new boolean[] {true, false}) {
            if (!oldestFirst) {
                Collections.reverse(expected);
            }
            for (int look : new int[] {1, 99, 100, 101, 1000, 1234, 1235, 100_000}) {
                // Steps of one payload take long, and one call reads payloads in many batches.
                int limit = look == 1 || look == 1234 ? 1000 : 13;
                JobQuery query = (oldestFirst ? echoes().oldestFirst() : echoes().newestFirst()).limit(limit);
                List<Long> found = new ArrayList<>();
                long looked = 0;
                Long next = null;
                do {
                    JobMatches some =
                            (next == null ? query : query.after(next)).search(PayloadMatch.equalTo("$.n", 3), look);
                    assertThat(some.looked()).isLessThanOrEqualTo(look);
                    assertThat(some.jobs()).hasSizeLessThanOrEqualTo(limit);
                    looked += some.looked();
                    some.jobs().forEach(job -> found.add(job.id()));
                    next = some.next();
                } while (next != null && (look > 1 || looked < 50));
                if (look > 1) {
                    assertThat(found).isEqualTo(expected);
                    assertThat(looked).as("each once").isEqualTo(jobs.size());
                } else {
                    assertThat(found)
                            .isEqualTo(expected.subList(0, found.size()))
                            .hasSizeBetween(7, 8);
                }
            }
        }
    }

    @Test
    void aSearchEndsAtTheScanLimitOfAListing() {
        windrow.enqueue(ECHO.job(new Json("{\"n\":1}")).withName("rare"));
        for (int i = 0; i < 25; i++) {
            windrow.enqueueAll(Collections.nCopies(1000, ECHO.job(null)));
        }
        windrow.enqueue(ECHO.job(new Json("{\"n\":1}")).withName("rare"));
        JobQuery query = windrow.jobs(JobFilter.ALL.withType("test.echo").withName("rare"))
                .newestFirst();
        JobMatches first = query.search(PayloadMatch.equalTo("$.n", 1));
        assertThat(first.jobs()).hasSize(1);
        assertThat(first.looked()).isEqualTo(1);
        assertThat(first.next()).as("there may be more").isNotNull();
        JobMatches second = query.after(first.next()).search(PayloadMatch.equalTo("$.n", 1));
        assertThat(second.jobs()).hasSize(1);
        assertThat(second.next()).isNull();
    }

    @Test
    void anInvalidSearchIsRefused() {
        PayloadMatch match = PayloadMatch.exists("$");
        for (int look : new int[] {Integer.MIN_VALUE, -1, 0, 100_001, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> echoes().newestFirst().search(match, look))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("comparing " + look + " texts is not allowed: 1 to 100000");
        }
        assertThatThrownBy(() -> echoes().newestFirst().before(3L).search(match))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("after, not before");
        for (JobFilter filter : List.of(
                JobFilter.ALL,
                JobFilter.ALL.withName("n"),
                JobFilter.ALL.withPriority(1),
                JobFilter.ALL.withErrorCode("E"))) {
            assertThatThrownBy(() -> windrow.jobs(filter).newestFirst().search(match))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("a search also needs a filter: a state, type, queue");
        }
        for (JobFilter filter : List.of(
                JobFilter.inState(JobState.PENDING),
                JobFilter.ALL.withType("t"),
                JobFilter.ALL.withQueue("q"),
                JobFilter.ALL.withTags(List.of("a")),
                JobFilter.ALL.withWorkflow(1L),
                JobFilter.ALL.withChain(1L),
                JobFilter.ALL.withParent(1L))) {
            assertThat(windrow.jobs(filter).newestFirst().search(match).jobs())
                    .as("%s", filter)
                    .isEmpty();
        }
        for (int limit : new int[] {Integer.MIN_VALUE, -1, 0, 1001, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> echoes().newestFirst().limit(limit))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("limit " + limit + " is not allowed: 1 to 1000");
        }
        assertThatThrownBy(() -> ECHO.job(null).withName("a\uD800"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("an unpaired surrogate");
    }
}
