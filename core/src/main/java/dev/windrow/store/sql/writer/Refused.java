package dev.windrow.store.sql.writer;

import dev.windrow.WindrowException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The refusal of a command that has written nothing: it fails alone, and its transaction continues. A refusal that is thrown without this
 * rolls the transaction back.
 */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final WindrowException reason;

    private Refused(WindrowException reason) {
        super(reason);
        this.reason = reason;
    }

    /** The error for the caller. */
    public WindrowException reason() {
        return reason;
    }

    /**
     * A part of a command that refuses only before it writes.
     *
     * @param <T> what it returns
     */
    public interface Part<T extends @Nullable Object> {
        /** Runs it. */
        T run() throws SQLException;
    }

    /** Runs a part of a command that refuses only before it writes. */
    public static <T extends @Nullable Object> T beforeWriting(Part<T> part) throws SQLException {
        try {
            return part.run();
        } catch (WindrowException e) {
            throw new Refused(e);
        }
    }
}
