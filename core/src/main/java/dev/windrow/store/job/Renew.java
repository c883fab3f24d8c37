package dev.windrow.store.job;

import dev.windrow.store.Command;
import java.util.List;

/**
 * Extends leases; returns the claims that were lost.
 *
 * @param leaseTokens the claims
 * @param leaseMillis how long they last from now
 */
public record Renew(List<LeaseToken> leaseTokens, long leaseMillis) implements Command<List<LeaseToken>> {
    /** Copies the list. */
    public Renew {
        leaseTokens = List.copyOf(leaseTokens);
    }

    @Override
    public Phase phase() {
        return Phase.RENEW;
    }

    @Override
    public String what() {
        return "renewing " + leaseTokens.size() + " leases";
    }

    @Override
    public int weight() {
        return Math.max(1, leaseTokens.size());
    }

    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
