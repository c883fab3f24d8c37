package dev.windrow.store.sql.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The number of queries for the writes in callers' transactions, and the notification of all of them in the end. */
class VisibilityTest {
    private static final int MANY = 1000;

    private final Visibility visibility = new Visibility("test", Connection.class);
    private final Connection connection = connection();
    /** The writes that were queried, until they were visible. */
    private final Set<Integer> asked = new HashSet<>();

    private final List<Integer> told = new ArrayList<>();
    private volatile boolean committed;

    @AfterEach
    void close() {
        visibility.close();
    }

    private static Connection connection() {
        Connection[] itself = new Connection[1];
        itself[0] = (Connection) Proxy.newProxyInstance(
                VisibilityTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> itself[0]);
        return itself[0];
    }

    private void watch(int number, BooleanSupplier isVisible, CountDownLatch toBeTold) {
        visibility.watch(
                connection,
                () -> {
                    asked.add(number);
                    return isVisible.getAsBoolean();
                },
                () -> {
                    told.add(number);
                    toBeTold.countDown();
                });
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void fewWritesOfAnOpenTransactionArePolledAndAllAreNotifiedAfterItsCommit() throws InterruptedException {
        CountDownLatch all = new CountDownLatch(MANY);
        CountDownLatch added = new CountDownLatch(1);
        CountDownLatch looked = new CountDownLatch(10);
        AtomicInteger askedBefore = new AtomicInteger();
        visibility.notice(
                () -> {
                    try {
                        return added.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                () -> {});
        for (int i = 0; i < MANY - 1; i++) {
            watch(i, () -> committed, all);
        }
        watch(
                MANY - 1,
                () -> {
                    if (looked.getCount() == 1) {
                        askedBefore.set(asked.size());
                    }
                    looked.countDown();
                    return committed;
                },
                all);
        added.countDown();
        await(looked);
        committed = true;
        await(all);
        // Each poll queries the last writes, and one other write.
        assertThat(askedBefore).hasValueLessThan(3 + 10);
        assertThat(told).hasSize(MANY).doesNotHaveDuplicates();
    }

    @Test
    void committedWritesBeforeRolledBackOnesAreNotified() throws InterruptedException {
        CountDownLatch some = new CountDownLatch(20);
        for (int i = 0; i < 30; i++) {
            int number = i;
            watch(number, () -> committed && number < 20, some);
        }
        committed = true;
        await(some);
        assertThat(told).hasSize(20).allMatch(number -> number < 20);
    }

    @Test
    void anErrorAtOnePollDoesNotEndThePolls() throws InterruptedException {
        CountDownLatch all = new CountDownLatch(2);
        AtomicInteger looks = new AtomicInteger();
        watch(
                1,
                () -> {
                    if (looks.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("as if");
                    }
                    return true;
                },
                all);
        watch(2, () -> looks.get() > 1, all);
        await(all);
    }
}
