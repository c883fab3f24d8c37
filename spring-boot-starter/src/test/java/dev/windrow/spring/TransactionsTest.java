package dev.windrow.spring;

import static dev.windrow.spring.Applications.jdbc;
import static dev.windrow.spring.Applications.jobs;
import static dev.windrow.spring.Applications.transaction;
import static dev.windrow.spring.Applications.windrow;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Enqueued;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.query.JobFilter;
import dev.windrow.spring.Applications.Database;
import dev.windrow.workflow.Workflow;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What the bean {@link Jobs} does in transactions of Spring, on both databases. */
class TransactionsTest {
    record Order(int id, int cents) {}

    static final JobType<Order, String> CHARGE = JobType.of("order.charge", Order.class, String.class);

    static class Shop {
        private final Jobs jobs;
        private final JdbcTemplate jdbc;
        private @Nullable Enqueued<String> last;

        Shop(Jobs jobs, JdbcTemplate jdbc) {
            this.jobs = jobs;
            this.jdbc = jdbc;
        }

        @Transactional
        public Enqueued<String> buy(Order order, boolean refused) {
            jdbc.update("INSERT INTO orders VALUES (?, ?)", order.id(), order.cents());
            last = jobs.enqueue(CHARGE, order);
            if (refused) {
                throw new IllegalStateException("no credit");
            }
            return last;
        }
    }

    static class Charges {
        @JobHandler("order.charge")
        String charge(Order order) {
            return "charged " + order.cents();
        }
    }

    @Configuration
    static class Application {
        @Bean
        Shop shop(Jobs jobs, JdbcTemplate jdbc, PlatformTransactionManager transactions) {
            new TransactionTemplate(transactions)
                    .executeWithoutResult(status -> jdbc.execute("CREATE TABLE orders (id INTEGER, cents INTEGER)"));
            return new Shop(jobs, jdbc);
        }

        @Bean
        Charges charges() {
            return new Charges();
        }
    }

    private static ApplicationContextRunner on(Database database) {
        return Applications.on(database).withUserConfiguration(Application.class);
    }

    private static long jobsIn(ApplicationContext context) {
        return windrow(context).jobs(JobFilter.ALL).count();
    }

    private static int orders(ApplicationContext context) {
        return jdbc(context).queryForObject("SELECT count(*) FROM orders", Integer.class);
    }

    @ParameterizedTest
    @EnumSource
    void aJobOfATransactionalServiceRunsAfterTheCommit(Database database) {
        on(database).run(context -> {
            Enqueued<String> job = context.getBean(Shop.class).buy(new Order(1, 4200), false);
            assertThat(windrow(context).await(job, ofSeconds(30))).isEqualTo("charged 4200");
            assertThat(orders(context)).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aRollbackTakesTheJobWithIt(Database database) {
        on(database).run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThatThrownBy(() -> shop.buy(new Order(1, 4200), true)).hasMessage("no credit");
            assertThat(orders(context)).isZero();
            assertThat(jobsIn(context)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void aSavepointThatIsRolledBackTakesOnlyItsJobs(Database database) {
        on(database).withPropertyValues("windrow.worker.enabled=false").run(context -> {
            TransactionTemplate outer = transaction(context);
            TransactionTemplate nested = transaction(context);
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            outer.executeWithoutResult(status -> {
                jobs(context).enqueue(CHARGE, new Order(1, 1));
                nested.executeWithoutResult(inner -> {
                    jobs(context).enqueue(CHARGE, new Order(2, 2));
                    inner.setRollbackOnly();
                });
            });
            assertThat(jobsIn(context)).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @EnumSource
    void outsideOfATransactionAJobIsEnqueuedAtOnce(Database database) {
        on(database).run(context -> {
            Enqueued<String> job = jobs(context).enqueue(CHARGE, new Order(1, 5));
            assertThat(windrow(context).await(job, ofSeconds(30))).isEqualTo("charged 5");
        });
    }

    @ParameterizedTest
    @EnumSource
    void aJobOfAListenerOfTheCommitIsNotLost(Database database) {
        on(database)
                .withPropertyValues("spring.datasource.hikari.auto-commit=" + (database == Database.SQLITE))
                .run(context -> {
                    AtomicReference<Enqueued<String>> job = new AtomicReference<>();
                    transaction(context).executeWithoutResult(status -> {
                        jdbc(context).update("INSERT INTO orders VALUES (1, 1)");
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                job.set(jobs(context).enqueue(CHARGE, new Order(1, 6)));
                            }
                        });
                    });
                    assertThat(windrow(context).await(job.get(), ofSeconds(30))).isEqualTo("charged 6");
                });
    }

    @ParameterizedTest
    @EnumSource
    void aReadOnlyTransactionIsRefused(Database database) {
        on(database).withPropertyValues("windrow.worker.enabled=false").run(context -> {
            TransactionTemplate reading = transaction(context);
            reading.setReadOnly(true);
            assertThatThrownBy(() ->
                            reading.executeWithoutResult(status -> jobs(context).enqueue(CHARGE, new Order(1, 1))))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("read-only transaction");
            assertThat(jobsIn(context)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void afterCommitEnqueuesAfterTheCommitOnly(Database database) {
        on(database)
                .withPropertyValues("windrow.transactions=after-commit", "windrow.worker.enabled=false")
                .run(context -> {
                    transaction(context).executeWithoutResult(status -> {
                        Enqueued<String> job = jobs(context).enqueue(CHARGE, new Order(1, 1));
                        List<JobRequest<Order, String>> more = CHARGE.jobs(List.of(new Order(2, 2), new Order(3, 3)));
                        assertThat(jobs(context).enqueueAll(more)).hasSize(2);
                        assertThat(jobsIn(context)).isZero();
                        assertThatThrownBy(job::id)
                                .isInstanceOf(InvalidRequestException.class)
                                .hasMessageContaining("'order.charge' has no id: it is enqueued after the commit");
                        assertThatThrownBy(() -> jobs(context).submit(new Workflow()))
                                .isInstanceOf(InvalidRequestException.class)
                                .hasMessageContaining("after-commit");
                    });
                    assertThat(jobsIn(context)).isEqualTo(3);
                    transaction(context).executeWithoutResult(status -> {
                        jobs(context).enqueue(CHARGE, new Order(4, 4));
                        status.setRollbackOnly();
                    });
                    assertThat(jobsIn(context)).isEqualTo(3);
                });
    }

    @ParameterizedTest
    @EnumSource
    void afterCommitAlsoEnqueuesTheJobOfAListenerOfTheCommit(Database database) {
        on(database)
                .withPropertyValues("windrow.transactions=after-commit", "windrow.worker.enabled=false")
                .run(context -> {
                    transaction(context)
                            .executeWithoutResult(status -> TransactionSynchronizationManager.registerSynchronization(
                                    new TransactionSynchronization() {
                                        @Override
                                        public void afterCommit() {
                                            jobs(context).enqueue(CHARGE, new Order(1, 6));
                                        }
                                    }));
                    assertThat(jobsIn(context)).isEqualTo(1);
                });
    }

    @ParameterizedTest
    @EnumSource
    void immediatelyEnqueuesAlsoIfTheTransactionRollsBack(Database database) {
        on(database)
                .withPropertyValues("windrow.transactions=immediately", "windrow.worker.enabled=false")
                .run(context -> {
                    if (database == Database.SQLITE) {
                        // The one writer of the file would wait for itself.
                        assertThat(context)
                                .getFailure()
                                .rootCause()
                                .hasMessageContaining(
                                        "'windrow.transactions' with value 'immediately' is not possible");
                        return;
                    }
                    transaction(context).executeWithoutResult(status -> {
                        jobs(context).enqueue(CHARGE, new Order(1, 1));
                        assertThat(jobsIn(context)).isEqualTo(1);
                        status.setRollbackOnly();
                    });
                    assertThat(jobsIn(context)).isEqualTo(1);
                });
    }

    @ParameterizedTest
    @EnumSource
    void refuseRefusesInATransactionAndNotOutside(Database database) {
        on(database)
                .withPropertyValues("windrow.transactions=refuse", "windrow.worker.enabled=false")
                .run(context -> {
                    assertThatThrownBy(() -> transaction(context)
                                    .executeWithoutResult(
                                            status -> jobs(context).enqueue(CHARGE, new Order(1, 1))))
                            .isInstanceOf(InvalidRequestException.class)
                            .hasMessageContaining("windrow.transactions=refuse");
                    jobs(context).enqueue(CHARGE, new Order(1, 1));
                    assertThat(jobsIn(context)).isEqualTo(1);
                });
    }
}
