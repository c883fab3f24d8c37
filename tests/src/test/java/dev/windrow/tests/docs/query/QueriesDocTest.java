package dev.windrow.tests.docs.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobMatches;
import dev.windrow.query.JobQuery;
import dev.windrow.query.PayloadMatch;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Compiles and runs the code of docs/how-to/queries.md. */
@OnEachStore
class QueriesDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/query/QueriesSnippet.java";
    private static final JobType<Json, Json> MAIL = JobType.raw("mail.send").withQueue("mail");

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/queries.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(3);
    }

    private static Json customer(int id) {
        return new Json("{\"customer\":{\"id\":" + id + ",\"name\":\"\\u0000Anna\"},\"to\":[\"a\",\"b\"]}");
    }

    @Test
    void failedJobsAreListedAndAllPagesAreRead() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            JobRef<Json> vip = windrow.enqueue(MAIL.job(customer(1)).withTags("vip", "europe"));
            windrow.enqueue(MAIL.job(customer(2)).withTags("vip"));
            windrow.job(vip).cancel();
            assertThat(QueriesSnippet.failedMails(windrow).jobs())
                    .extracting(JobInfo::id)
                    .containsExactly(vip.id());
            assertThat(QueriesSnippet.all(windrow, JobFilter.ALL)).hasSize(2);
        }
    }

    @Test
    void payloadSearchIsBoundedAndCountsUnreadablePayloads() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
                ids.add(windrow.enqueue(MAIL.job(customer(i % 50))).id());
            }
            String padding = "x".repeat(300_000);
            long apart = windrow.enqueue(MAIL.job(new Json("{\"customer\":{\"id\":7},\"text\":\"" + padding + "\"}")))
                    .id();
            windrow.enqueue(MAIL.job(new Json("{\"customer\":{\"id\":7},\"text\":\"" + padding.repeat(4) + "\"}")));
            windrow.enqueue(MAIL.job(null));
            JobMatches found = QueriesSnippet.ofCustomer(windrow, 7);
            assertThat(found.jobs())
                    .extracting(JobInfo::id)
                    .containsExactly(apart, ids.get(207), ids.get(157), ids.get(107), ids.get(57), ids.get(7));
            assertThat(found.next()).isNull();
            assertThat(found.looked()).isEqualTo(252);
            assertThat(found.skipped()).isEqualTo(1);
            JobQuery query = windrow.jobs(JobFilter.ALL.withQueue("mail")).oldestFirst();
            PayloadMatch match = PayloadMatch.parse("$.customer.id=7");
            JobMatches part = query.search(match, 120);
            assertThat(part.jobs()).extracting(JobInfo::id).containsExactly(ids.get(7), ids.get(57), ids.get(107));
            assertThat(part.looked()).isEqualTo(120);
            JobMatches rest = query.after(part.next()).limit(1).search(match);
            assertThat(rest.jobs()).extracting(JobInfo::id).containsExactly(ids.get(157));
            assertThat(query.after(rest.next()).search(match).jobs())
                    .extracting(JobInfo::id)
                    .containsExactly(ids.get(207), apart);
            assertThatThrownBy(() -> windrow.jobs(JobFilter.ALL).newestFirst().search(match))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("needs a filter");
        }
    }
}
