package dev.windrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.payload.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobChainTest {
    private static final JobType<Json, Json> A = JobType.raw("a");
    private static final JobType<Json, Json> B = JobType.raw("b");
    private static final JobType<Json, Json> C = JobType.raw("c");

    private static void refused(JobType<Json, Json> first, JobType<Json, Json> last, String message) {
        assertThatThrownBy(() -> {
                    JobChain<Json, Json> unused = JobChain.of(first, last);
                })
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(message);
    }

    private static void accepted(JobType<Json, Json> first, JobType<Json, Json> last) {
        assertThat(JobChain.of(first, last)).hasToString(first.name() + " to " + last.name());
    }

    @Test
    void withoutADeclarationAnyTypeMayFollow() {
        assertThat(A.next()).isEmpty();
        assertThat(A.allowsNext(B)).isTrue();
        assertThat(A.allowsNext(A)).isTrue();
    }

    @Test
    void declarationsAddUp() {
        JobType<Json, Json> type = A.withNext("a").withNext(B).withNext("c");
        assertThat(type.next()).containsExactly("a", "b", "c");
        assertThat(type.allowsNext(type)).isTrue();
        assertThat(A.withNext(B).allowsNext(A)).isFalse();
        assertThat(A.withNext(B).withQueue("q").allowsNext(C)).isFalse();
        assertThatThrownBy(() -> {
                    JobType<Json, Json> unused = A.withNext("no type");
                })
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("no type");
    }

    @Test
    void aliasesCountOnBothSides() {
        JobType<Json, Json> renamed = C.withAliases("b");
        assertThat(A.withNext("b").allowsNext(renamed)).isTrue();
        assertThat(A.withNext(renamed).allowsNext(B)).isTrue();
        assertThat(A.withNext(renamed).allowsNext(A)).isFalse();
        accepted(A.withNext("b"), renamed);
    }

    @Test
    void aChainWhoseLastTypeCannotBeReachedIsRefused() {
        JobType<Json, Json> circle = B.withNext("a", "b");
        refused(A.withNext(circle), C, "a chain from 'a' cannot end with 'c': only 'b', 'a' can follow");
        refused(A.withNext("a"), C, "a chain from 'a' cannot end with 'c': only 'a' can follow");
        accepted(A.withNext(circle.withNext(C)), C);
        accepted(A.withNext(circle), B);
        accepted(A.withNext("a"), A);
        // A chain may end with its first job.
        accepted(A.withNext(B.withNext("b")), A);
    }

    @Test
    void aTypeOfWhichOnlyTheNameIsKnownMayLeadToAnyType() {
        accepted(A.withNext("unknown"), C);
        accepted(A.withNext(B), C);
        accepted(A.withNext("b"), C.withNext(B.withNext(C)));
        refused(
                A.withNext("b"),
                C.withNext(B.withNext("b")),
                "a chain from 'a' cannot end with 'c': only 'b' can follow");
    }

    @Test
    void aChainMakesItsFirstJobsAndReferences() {
        JobChain<Json, Json> chain = JobChain.of(A, B);
        assertThat(chain.first()).isSameAs(A);
        assertThat(chain.last()).isSameAs(B);
        JobRequest<Json, ?> job = chain.job(new Json("1"));
        assertThat(job.type()).isSameAs(A);
        assertThat(job.beginsChain()).isTrue();
        assertThat(job.withPriority(3).beginsChain()).isTrue();
        assertThat(A.job(new Json("1")).beginsChain()).isFalse();
        assertThat(chain.jobs(List.of(new Json("1"), new Json("2"))))
                .extracting(JobRequest::input)
                .containsExactly(new Json("1"), new Json("2"));
        ChainRef<Json> ref = chain.ref(17);
        assertThat(ref)
                .isEqualTo(ChainRef.raw(17))
                .hasSameHashCodeAs(ChainRef.raw(17))
                .hasToString("17");
        assertThat(ref.last()).isSameAs(B);
        assertThat(ref).isNotEqualTo(chain.ref(18));
    }

    @Test
    void aReferenceKnowsTheTypeThatMadeIt() {
        assertThat(A.ref(17).type()).isSameAs(A);
        assertThat(JobRef.raw(17).type()).isNull();
    }
}
