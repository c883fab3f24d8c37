package dev.windrow.tests.docs.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import dev.windrow.tests.docs.Docs;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The code of docs/how-to/external-completion.md is compiled, and does what the page says. */
@OnEachStore
class ExternalCompletionDocTest {
    private static final String CODE = "tests/src/test/java/dev/windrow/tests/docs/step/ExternalCompletionSnippet.java";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    @Test
    void javaSnippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", "docs/how-to/external-completion.md"))
                .isEqualTo(Docs.regions(CODE))
                .hasSize(5);
    }

    @Test
    void anApprovedOrderIsShippedAndARefusedOneIsNot() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            JobRef<ExternalCompletionSnippet.Approval> granted =
                    ExternalCompletionSnippet.ask(windrow, new ExternalCompletionSnippet.Order(1, 9_900));
            JobRef<ExternalCompletionSnippet.Approval> refused =
                    ExternalCompletionSnippet.ask(windrow, new ExternalCompletionSnippet.Order(2, 990_000));
            ExternalCompletionSnippet.answer(windrow, granted.id(), true, "ada");
            ExternalCompletionSnippet.answer(windrow, refused.id(), false, "ada");
            assertThat(windrow.await(granted, PATIENCE)).isEqualTo(new ExternalCompletionSnippet.Approval("ada"));
            JobInfo job = windrow.job(refused).history().job();
            assertThat(job.state() + " " + job.errorCode() + " " + job.errorDetail())
                    .isEqualTo("FAILED APPROVAL:REFUSED by ada");
            assertThat(windrow.jobs(JobFilter.inState(JobState.PENDING))
                            .newestFirst()
                            .limit(10)
                            .page()
                            .jobs())
                    .extracting(JobInfo::type)
                    .containsExactly("order.ship");
        }
    }

    @Test
    void anApprovalContinuesWithTheJobThatItsAnswerNames() throws Exception {
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore())) {
            ExternalCompletionSnippet.Order order = new ExternalCompletionSnippet.Order(1, 9_900);
            JobRef<ExternalCompletionSnippet.Approval> approval = windrow.enqueue(
                    ExternalCompletionSnippet.APPROVE.job(order).withExternalCompletion(Duration.ofDays(7)));
            JobRef<Void> shipping = ExternalCompletionSnippet.approveAndGoOn(windrow, approval.id(), "ada", order);
            assertThat(windrow.job(approval).chain().jobs())
                    .extracting(JobInfo::id)
                    .containsExactly(approval.id(), shipping.id());
            assertThat(windrow.await(approval, PATIENCE)).isEqualTo(new ExternalCompletionSnippet.Approval("ada"));
        }
    }

    @Test
    void aPaymentIsParkedUntilTheHookIsCalled() throws Exception {
        CompletableFuture<String> begun = new CompletableFuture<>();
        try (Target target = kind.emptyTarget(folder);
                Windrow windrow = Windrow.open(target.newStore());
                Worker worker = ExternalCompletionSnippet.pay(windrow, (order, reference) -> begun.complete(reference))
                        .start()) {
            JobRef<ExternalCompletionSnippet.Payment> payment =
                    windrow.enqueue(ExternalCompletionSnippet.PAY, new ExternalCompletionSnippet.Order(1, 9_900));
            String reference = begun.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            await().atMost(PATIENCE)
                    .until(() -> windrow.job(payment).history().job().state() == JobState.BLOCKED);
            ExternalCompletionSnippet.hook(windrow, reference, new ExternalCompletionSnippet.Payment("acme", true));
            assertThat(windrow.await(payment, PATIENCE)).isEqualTo(new ExternalCompletionSnippet.Payment("acme", true));
            assertThat(windrow.job(payment).history().attempts().get(0).outcome())
                    .isEqualTo(AttemptOutcome.PARKED);
            assertThat(worker.name()).isNotBlank();
        }
    }
}
