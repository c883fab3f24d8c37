package dev.windrow.sqlite;

import dev.windrow.BlobRef;
import dev.windrow.InvalidRequestException;
import dev.windrow.store.BlobPart;
import dev.windrow.store.Expiry;
import dev.windrow.store.JobRow;
import dev.windrow.store.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Payloads and results that are kept apart: staged part by part, adopted by a job, swept if nobody does. */
final class Blobs {
    /** What a blob is of its job. */
    enum Kind {
        PAYLOAD,
        RESULT
    }

    private Blobs() {}

    /** Writes a part; answers the number of its blob. */
    static long stage(SqliteTransaction tx, BlobPart part) throws SQLException {
        Long known = part.blob();
        BlobPart.Whole whole = part.whole();
        long blob;
        if (known == null) {
            blob = tx.nextId();
            tx.statements()
                    .get(BlobSql.INSERT_BLOB)
                    .set(1, blob)
                    .set(2, whole == null ? null : Long.valueOf(whole.bytes()))
                    .set(3, whole == null ? null : whole.sha256())
                    .set(4, tx.now())
                    .update();
        } else {
            blob = known;
        }
        if (known == null || part.content().length > 0) {
            insertChunk(tx, blob, part);
        }
        if (known != null && whole != null) {
            if (tx.statements()
                            .get(BlobSql.COMPLETE_BLOB)
                            .set(1, blob)
                            .set(2, whole.bytes())
                            .set(3, whole.sha256())
                            .set(4, whole.file())
                            .update()
                    != 1) {
                throw new SQLException("blob " + blob + " is not staged any more");
            }
        }
        return blob;
    }

    private static void insertChunk(SqliteTransaction tx, long blob, BlobPart part) throws SQLException {
        tx.statements()
                .get(BlobSql.INSERT_CHUNK)
                .set(1, blob)
                .set(2, part.position())
                .set(3, part.content())
                .update();
    }

    /** Refuses payloads in blobs that are not staged, before anything is written. */
    static void requireStaged(SqliteTransaction tx, List<JobRow> rows) throws SQLException {
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
        if (tx.statements().get(BlobSql.COUNT_STAGED).ids(1, blobs).one() != blobs.size()
                || new HashSet<>(blobs).size() != blobs.size()) {
            throw new InvalidRequestException(
                    "a payload names one of the blobs %s, which is not staged (any more), or not whole"
                            .formatted(blobs));
        }
    }

    /** Refuses a result in a blob that is not staged, before anything is written. */
    static void requireStaged(SqliteTransaction tx, @Nullable String result) throws SQLException {
        BlobRef ref = BlobRef.of(result);
        if (ref != null) {
            if (tx.statements()
                            .get(BlobSql.COUNT_STAGED)
                            .ids(1, (List.of(ref.id())))
                            .one()
                    != 1) {
                throw new InvalidRequestException(
                        "the result names blob %d, which is not staged (any more), or not whole".formatted(ref.id()));
            }
        }
    }

    /** Makes the blob that the text names, if it names one, the job's. Jobs are written before. */
    static void adopt(SqliteTransaction tx, @Nullable String text, long job, Kind kind) throws SQLException {
        BlobRef ref = BlobRef.of(text);
        if (ref == null) {
            return;
        }
        if (tx.statements()
                        .get(BlobSql.ADOPT_BLOB)
                        .set(1, ref.id())
                        .set(2, job)
                        .set(3, kind.name())
                        .update()
                != 1) {
            throw new SQLException("blob " + ref.id() + " is not staged any more");
        }
    }

    /** Drops the blob that the text names, if it names one that nobody has adopted. */
    static void drop(SqliteTransaction tx, @Nullable String text) throws SQLException {
        BlobRef ref = BlobRef.of(text);
        if (ref != null) {
            unstage(tx, ref.id());
        }
    }

    static int unstage(SqliteTransaction tx, long blob) throws SQLException {
        return drop(tx, blob, Expiry.BLOB_PARTS);
    }

    static int sweep(SqliteTransaction tx, long olderThanMillis, int limit) throws SQLException {
        List<Long> old = tx.statements()
                .get(BlobSql.OLD_STAGED)
                .set(1, Math.max(1, tx.now() - olderThanMillis))
                .set(2, limit)
                .list(rows -> rows.getLong(1));
        int dropped = 0;
        for (int i = 0; i < old.size() && dropped < limit; i++) {
            dropped += Math.max(1, drop(tx, old.get(i), limit - dropped));
        }
        return dropped;
    }

    /** Drops parts of a blob, at most this many, and the blob with its last one, unless somebody has adopted it; answers how many parts. */
    private static int drop(SqliteTransaction tx, long blob, int most) throws SQLException {
        if (tx.statements().get(BlobSql.UNSTAGE).set(1, blob).update() == 0) {
            return 0;
        }
        int dropped = tx.statements()
                .get(BlobSql.DROP_CHUNKS)
                .set(1, blob)
                .set(2, most)
                .update();
        if (dropped < most) {
            tx.statements().get(BlobSql.DROP_BLOB).set(1, blob).update();
        }
        return dropped;
    }

    static Optional<byte[]> read(Statements statements, long blob, int position) throws SQLException {
        try (ResultSet row =
                statements.get(BlobSql.READ_CHUNK).set(1, blob).set(2, position).rows()) {
            return row.next() ? Optional.of(row.getBytes(1)) : Optional.empty();
        }
    }

    static Set<Long> existing(Statements statements, Collection<Long> blobs) throws SQLException {
        Set<Long> existing = new HashSet<>();
        try (ResultSet rows = statements
                .get(BlobSql.EXISTING_BLOBS)
                .ids(1, (List.copyOf(blobs)))
                .rows()) {
            while (rows.next()) {
                existing.add(rows.getLong(1));
            }
        }
        return existing;
    }
}
