package dev.windrow.store.sql.payload;

import dev.windrow.InvalidRequestException;
import dev.windrow.payload.BlobRef;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Payloads and results that are stored separately. They are staged part by part and adopted by a job. They are swept if no job adopts them. */
public final class Blobs {
    /** The content of a blob. */
    public enum Kind {
        /** The payload of a job. */
        PAYLOAD,
        /** The result of a job. */
        RESULT
    }

    private Blobs() {}

    /** Writes a part; returns the number of its blob. */
    public static long stage(WriteTransaction tx, Stage part) throws SQLException {
        tx.wrote();
        Long blob = part.blob();
        Stage.Whole whole = part.whole();
        if (blob == null) {
            return tx.stage(part);
        }
        if (part.content().length > 0) {
            requireOne(
                    blob,
                    tx.statements()
                            .get(Statement.STAGE_PART)
                            .set(1, blob)
                            .set(2, part.position())
                            .set(3, part.content())
                            .update());
        }
        if (whole != null) {
            requireOne(
                    blob,
                    tx.statements()
                            .get(Statement.STAGE_WHOLE)
                            .set(1, blob)
                            .set(2, whole.bytes())
                            .set(3, whole.sha256())
                            .set(4, whole.file())
                            .update());
        }
        return blob;
    }

    private static void requireOne(long blob, int updated) throws SQLException {
        if (updated != 1) {
            throw new SQLException("blob " + blob + " is not staged any more");
        }
    }

    /** Refuses payloads in blobs that are not staged. Called before any write. */
    public static void requireStaged(WriteTransaction tx, List<JobRow> rows) throws SQLException {
        List<Long> blobs = new ArrayList<>();
        for (JobRow row : rows) {
            BlobRef ref = BlobRef.of(row.payload());
            if (ref != null) {
                blobs.add(ref.id());
            }
        }
        if (blobs.isEmpty()) {
            return;
        }
        long staged = tx.statements().get(Statement.COUNT_STAGED).ids(1, blobs).one();
        if (staged != blobs.size() || new HashSet<>(blobs).size() != blobs.size()) {
            throw new InvalidRequestException(
                    "a payload names one of the blobs %s, which is not staged any more, or not complete"
                            .formatted(blobs));
        }
    }

    /** Refuses a result in a blob that is not staged. Called before any write. */
    public static void requireStaged(WriteTransaction tx, @Nullable String result) throws SQLException {
        BlobRef ref = BlobRef.of(result);
        if (ref != null
                && tx.statements()
                                .get(Statement.COUNT_STAGED)
                                .ids(1, List.of(ref.id()))
                                .one()
                        != 1) {
            throw new InvalidRequestException(
                    "the result names blob %d, which is not staged any more, or not complete".formatted(ref.id()));
        }
    }

    /** Makes the blob that the text names, if any, the blob of the job. */
    public static void adopt(WriteTransaction tx, @Nullable String text, long job, Kind kind) throws SQLException {
        BlobRef ref = BlobRef.of(text);
        if (ref != null) {
            requireOne(
                    ref.id(),
                    tx.statements()
                            .get(Statement.ADOPT_BLOB)
                            .set(1, ref.id())
                            .set(2, job)
                            .set(3, kind.name())
                            .update());
        }
    }

    /** Drops the blob that the text names, if any, unless a job has adopted it. */
    public static void drop(WriteTransaction tx, @Nullable String text) throws SQLException {
        BlobRef ref = BlobRef.of(text);
        if (ref != null) {
            unstage(tx, ref.id());
        }
    }

    /** Drops a blob that no job has adopted, at first as many of its parts as one transaction may; returns the number of parts. */
    public static long unstage(WriteTransaction tx, long blob) throws SQLException {
        return drop(tx, blob, Expiry.BLOB_PARTS);
    }

    /** Drops at most {@code limit} parts of blobs that were staged long ago, and that no job has adopted; returns the number of parts. */
    public static long sweep(WriteTransaction tx, long olderThanMillis, int limit) throws SQLException {
        List<Long> old = tx.statements()
                .get(Statement.SWEEP_STAGED)
                .set(1, Math.max(1, tx.now() - olderThanMillis))
                .set(2, limit)
                .longs();
        int dropped = 0;
        for (int i = 0; i < old.size() && dropped < limit; i++) {
            dropped += Math.max(1, drop(tx, old.get(i), limit - dropped));
        }
        return dropped;
    }

    /** Drops at most {@code max} parts of a blob, and the blob with its last part, unless a job has adopted it; returns the number of parts. */
    private static int drop(WriteTransaction tx, long blob, int max) throws SQLException {
        tx.wrote();
        if (tx.statements().get(Statement.UNSTAGE).set(1, blob).update() == 0) {
            return 0;
        }
        int dropped = tx.statements()
                .get(Statement.DROP_CHUNKS)
                .set(1, blob)
                .set(2, max)
                .update();
        if (dropped < max) {
            tx.statements().get(Statement.DROP_BLOB).set(1, blob).update();
        }
        return dropped;
    }

    /** Returns the part of a blob at a position. */
    public static Optional<byte[]> read(Statements statements, long blob, int position) throws SQLException {
        return Optional.ofNullable(statements
                .get(Statement.READ_CHUNK)
                .set(1, blob)
                .set(2, position)
                .find(row -> row.getBytes(1)));
    }

    /** Returns the blobs among these that exist. */
    public static Set<Long> existing(Statements statements, Collection<Long> blobs) throws SQLException {
        return new HashSet<>(
                statements.get(Statement.EXISTING_BLOBS).ids(1, blobs).longs());
    }
}
