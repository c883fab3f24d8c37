package dev.windrow.tests.docs.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.Once;
import dev.windrow.tests.docs.Docs;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Compares docs/testing-your-jobs.md with the test classes beside this one, whose tests run with all others. */
@Once
class HandlerTestDocTest {
    private static final String PAGE = "docs/testing-your-jobs.md";

    private final List<String> mails = new ArrayList<>();

    /** A handler that forgets that jobs run at least once. */
    @RegisterExtension
    final WindrowTest test = WindrowTest.manual()
            .handle(InvoiceTest.SEND, (invoice, job) -> {
                mails.add(invoice.customer());
                return new InvoiceTest.Receipt("R-" + invoice.customer());
            })
            .worker(worker -> worker.name("HOST-PID-1"));

    @Test
    void snippetsAreCompiledCode() {
        assertThat(Docs.blocks("java", PAGE))
                .containsExactlyInAnyOrderElementsOf(Stream.of(
                                "InvoiceTest",
                                "CheckoutTest",
                                "LiveInvoiceTest",
                                "ServerInvoiceTest",
                                "SpringInvoiceTest")
                        .flatMap(code ->
                                Docs.regions("tests/src/test/java/dev/windrow/tests/docs/job/%s.java".formatted(code))
                                        .stream())
                        .toList())
                .hasSize(20);
    }

    @Test
    void theMessageIsThatOfAFailure() {
        Throwable failure = catchThrowable(
                () -> test.assertRepeatable(InvoiceTest.SEND, new InvoiceTest.Invoice("Ada", 4200), () -> mails));
        assertThat(Docs.blocks("text", PAGE))
                .containsExactly(failure.getMessage().strip());
    }
}
