package dev.windrow.sqlite.writer;

import dev.windrow.store.Command;
import java.util.concurrent.CountDownLatch;

/** The request of a caller's thread for a turn of the writer. It completes when the thread has the turn, and writes nothing itself. */
final class BeginManaged implements Command.Internal<Void> {
    /** The thread that has the turn, for messages. */
    final String borrower;

    private final CountDownLatch returned = new CountDownLatch(1);

    BeginManaged(String borrower) {
        this.borrower = borrower;
    }

    /** Gives the turn back. Called in any case, also by a thread that gave up before the turn came. */
    void giveBack() {
        returned.countDown();
    }

    boolean isReturned() {
        return returned.getCount() == 0;
    }

    /** Waits until the turn is given back, without a limit. */
    void awaitReturn() {
        boolean interrupted = false;
        while (!isReturned()) {
            try {
                returned.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the phase of claims. The command has a transaction to itself. */
    @Override
    public Phase phase() {
        return Phase.CLAIM;
    }

    @Override
    public boolean waitsForRoom() {
        return false;
    }

    @Override
    public String what() {
        return "a transaction";
    }
}
