package dev.windrow.examples;

import static dev.windrow.examples.Transactions.CHARGE;
import static dev.windrow.examples.Transactions.THANK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.examples.Transactions.Charge;
import dev.windrow.examples.Transactions.Receipt;
import dev.windrow.testkit.WindrowTest;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The customer is charged once: the charge and the end of the job are one transaction. */
class TransactionsTest {
    @RegisterExtension
    final WindrowTest test = WindrowTest.manual().handle(CHARGE, Transactions::charge);

    @BeforeEach
    void createTable(Windrow windrow) throws SQLException {
        boolean unused = windrow.inTransaction(connection ->
                Transactions.execute(connection, "CREATE TABLE example_charges (job BIGINT, cents INTEGER)"));
    }

    private int charges(JobRef<?> job) throws SQLException {
        return test.windrow()
                .inTransaction(connection ->
                        Transactions.count(connection, "SELECT count(*) FROM example_charges WHERE job = ?", job.id()));
    }

    @Test
    void aFailedAttemptChargesNothing(Windrow windrow) throws SQLException {
        JobRef<Receipt> job = windrow.enqueue(CHARGE, new Charge("Ada", 995));
        assertThat(test.runNext().retried()).isEqualTo(1);
        assertThat(charges(job)).isZero();
        test.notEnqueued(THANK);
        test.drain();
        test.assertThat(job).isCompleted().hasAttempts(2);
        assertThat(charges(job)).isEqualTo(1);
        test.enqueued(THANK).once().withInput("Ada");
    }

    @Test
    void aCrashAfterTheCommitChargesNothingMore(Windrow windrow) throws SQLException {
        JobRef<Receipt> job = windrow.enqueue(CHARGE, new Charge("Ada", 995));
        test.runNext();
        test.crashDuring(job);
        test.drain();
        test.assertThat(job).isCompleted().hasAttempts(2);
        assertThat(charges(job)).isEqualTo(1);
    }

    @Test
    void aZombieChargesNothing(Windrow windrow) throws SQLException {
        JobRef<Receipt> job = windrow.enqueue(CHARGE, new Charge("Ada", 995));
        test.runNext();
        test.loseLease(job);
        test.assertThat(job).isCompleted().hasAttempts(3);
        assertThat(charges(job)).isEqualTo(1);
    }
}
