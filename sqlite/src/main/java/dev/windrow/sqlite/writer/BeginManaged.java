package dev.windrow.sqlite.writer;

import dev.windrow.store.Command;
import java.util.concurrent.CountDownLatch;

/** The wish for a turn that the writer gives to a caller's thread; answered when that has it, and writes nothing itself. */
final class BeginManaged implements Command.Internal<Void> {
    /** The thread that has the turn, for messages. */
    final String borrower;

    private final CountDownLatch returned = new CountDownLatch(1);

    BeginManaged(String borrower) {
        this.borrower = borrower;
    }

    /** Ends the need for the turn; called in any case, also by a thread that gave up before it came. */
    void giveBack() {
        returned.countDown();
    }

    boolean isReturned() {
        return returned.getCount() == 0;
    }

    /** Waits until it is given back, however long that takes. */
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

    /** It has a transaction to itself. */
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
