package dev.windrow.store.sql.writer;

import dev.windrow.WindrowException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The refusal of a command that has written nothing. The command fails alone, and its transaction continues. A refusal that is thrown without this
 * class rolls the transaction back.
 */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final WindrowException reason;

    private Refused(WindrowException reason) {
        super(reason);
        this.reason = reason;
    }

    /** Returns the error for the caller. */
    public WindrowException reason() {
        return reason;
    }

    /**
     * The code of a command that refuses only before it writes.
     *
     * @param <T> its result
     */
    public interface Part<T extends @Nullable Object> {
        /** Runs it. */
        T run() throws SQLException;
    }

    /** Runs code of a command that refuses only before it writes. */
    public static <T extends @Nullable Object> T beforeWriting(Part<T> part) throws SQLException {
        try {
            return part.run();
        } catch (WindrowException e) {
            throw new Refused(e);
        }
    }
}
