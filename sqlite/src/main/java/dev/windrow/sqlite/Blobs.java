package dev.windrow.sqlite;

import dev.windrow.BlobRef;
import dev.windrow.InvalidRequestException;
import dev.windrow.store.BlobPart;
import dev.windrow.store.Expiry;
import dev.windrow.store.JobRow;
import java.sql.PreparedStatement;
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
    static long stage(WriteTransaction tx, BlobPart part) throws SQLException {
        Long known = part.blob();
        BlobPart.Whole whole = part.whole();
        long blob;
        if (known == null) {
            blob = tx.nextId();
            PreparedStatement insert = tx.statements.get(BlobSql.INSERT_BLOB);
            insert.setLong(1, blob);
            Statements.setLong(insert, 2, whole == null ? null : Long.valueOf(whole.bytes()));
            insert.setString(3, whole == null ? null : whole.sha256());
            insert.setLong(4, tx.now);
            insert.executeUpdate();
        } else {
            blob = known;
        }
        if (known == null || part.content().length > 0) {
            insertChunk(tx, blob, part);
        }
        if (known != null && whole != null) {
            PreparedStatement complete = tx.statements.get(BlobSql.COMPLETE_BLOB);
            complete.setLong(1, blob);
            complete.setLong(2, whole.bytes());
            complete.setString(3, whole.sha256());
            complete.setString(4, whole.file());
            if (complete.executeUpdate() != 1) {
                throw new SQLException("blob " + blob + " is not staged any more");
            }
        }
        return blob;
    }

    private static void insertChunk(WriteTransaction tx, long blob, BlobPart part) throws SQLException {
        PreparedStatement chunk = tx.statements.get(BlobSql.INSERT_CHUNK);
        chunk.setLong(1, blob);
        chunk.setInt(2, part.position());
        chunk.setBytes(3, part.content());
        chunk.executeUpdate();
    }

    /** Refuses payloads in blobs that are not staged, before anything is written. */
    static void requireStaged(WriteTransaction tx, List<JobRow> rows) throws SQLException {
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
        PreparedStatement count = tx.statements.get(BlobSql.COUNT_STAGED);
        count.setString(1, JsonText.array(blobs));
        if (Rows.one(count) != blobs.size() || new HashSet<>(blobs).size() != blobs.size()) {
            throw new InvalidRequestException(
                    "a payload names one of the blobs %s, which is not staged (any more), or not whole"
                            .formatted(blobs));
        }
    }

    /** Refuses a result in a blob that is not staged, before anything is written. */
    static void requireStaged(WriteTransaction tx, @Nullable String result) throws SQLException {
        BlobRef ref = BlobRef.of(result);
        if (ref != null) {
            PreparedStatement count = tx.statements.get(BlobSql.COUNT_STAGED);
            count.setString(1, JsonText.array(List.of(ref.id())));
            if (Rows.one(count) != 1) {
                throw new InvalidRequestException(
                        "the result names blob %d, which is not staged (any more), or not whole".formatted(ref.id()));
            }
        }
    }

    /** Makes the blob that the text names, if it names one, the job's. Jobs are written before. */
    static void adopt(WriteTransaction tx, @Nullable String text, long job, Kind kind) throws SQLException {
        BlobRef ref = BlobRef.of(text);
        if (ref == null) {
            return;
        }
        PreparedStatement adopt = tx.statements.get(BlobSql.ADOPT_BLOB);
        adopt.setLong(1, ref.id());
        adopt.setLong(2, job);
        adopt.setString(3, kind.name());
        if (adopt.executeUpdate() != 1) {
            throw new SQLException("blob " + ref.id() + " is not staged any more");
        }
    }

    /** Drops the blob that the text names, if it names one that nobody has adopted. */
    static void drop(WriteTransaction tx, @Nullable String text) throws SQLException {
        BlobRef ref = BlobRef.of(text);
        if (ref != null) {
            unstage(tx, ref.id());
        }
    }

    static int unstage(WriteTransaction tx, long blob) throws SQLException {
        return drop(tx, blob, Expiry.BLOB_PARTS);
    }

    static int sweep(WriteTransaction tx, long olderThanMillis, int limit) throws SQLException {
        PreparedStatement query = tx.statements.get(BlobSql.OLD_STAGED);
        query.setLong(1, Math.max(1, tx.now - olderThanMillis));
        query.setInt(2, limit);
        List<Long> old = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                old.add(rows.getLong(1));
            }
        }
        int dropped = 0;
        for (int i = 0; i < old.size() && dropped < limit; i++) {
            dropped += Math.max(1, drop(tx, old.get(i), limit - dropped));
        }
        return dropped;
    }

    /** Drops parts of a blob, at most this many, and the blob with its last one, unless somebody has adopted it; answers how many parts. */
    private static int drop(WriteTransaction tx, long blob, int most) throws SQLException {
        PreparedStatement unstage = tx.statements.get(BlobSql.UNSTAGE);
        unstage.setLong(1, blob);
        if (unstage.executeUpdate() == 0) {
            return 0;
        }
        PreparedStatement chunks = tx.statements.get(BlobSql.DROP_CHUNKS);
        chunks.setLong(1, blob);
        chunks.setInt(2, most);
        int dropped = chunks.executeUpdate();
        if (dropped < most) {
            PreparedStatement rest = tx.statements.get(BlobSql.DROP_BLOB);
            rest.setLong(1, blob);
            rest.executeUpdate();
        }
        return dropped;
    }

    static Optional<byte[]> read(Statements statements, long blob, int position) throws SQLException {
        PreparedStatement query = statements.get(BlobSql.READ_CHUNK);
        query.setLong(1, blob);
        query.setInt(2, position);
        try (ResultSet row = query.executeQuery()) {
            return row.next() ? Optional.of(row.getBytes(1)) : Optional.empty();
        }
    }

    static Set<Long> existing(Statements statements, Collection<Long> blobs) throws SQLException {
        PreparedStatement query = statements.get(BlobSql.EXISTING_BLOBS);
        query.setString(1, JsonText.array(List.copyOf(blobs)));
        Set<Long> existing = new HashSet<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                existing.add(rows.getLong(1));
            }
        }
        return existing;
    }
}
