package dev.windrow.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.spring.test.WindrowSpringTest;
import dev.windrow.testkit.WindrowTest;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The jobs of the shop, run by the test. */
// region test
@SpringBootTest
@WindrowSpringTest
class CheckoutTest {
    @Autowired
    Checkout checkout;

    @Autowired
    Purchases purchases;

    @Test
    void aPurchaseGetsAnInvoice(WindrowTest test) {
        long id = checkout.buy("Ada", 4200);
        test.enqueued(Checkout.INVOICE).once().withInput(id);
        test.drain();
        assertThat(purchases.findById(id).orElseThrow().invoice()).startsWith("R-");
    }

    @Test
    void aRefusedPurchaseHasNoJob(WindrowTest test) {
        assertThatThrownBy(() -> checkout.buy("Ada", 0)).hasMessageContaining("1 or more");
        test.notEnqueued(Checkout.INVOICE);
    }
    // endregion

    @DynamicPropertySource
    static void file(DynamicPropertyRegistry registry) throws IOException {
        String file =
                Files.createTempDirectory("windrow-shop").resolve("shop.db").toString();
        registry.add(
                "spring.datasource.url", () -> "jdbc:sqlite:" + file + "?foreign_keys=true&transaction_mode=IMMEDIATE");
    }
}
