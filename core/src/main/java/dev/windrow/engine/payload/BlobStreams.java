package dev.windrow.engine.payload;

import dev.windrow.InvalidRequestException;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.engine.Answers;
import dev.windrow.payload.BlobFiles;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.payload.ContentLostException;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.payload.Unstage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Payloads and results that are stored separately from their rows. They are written in parts before their rows, and
 * read in parts.
 */
public final class BlobStreams {
    /** The most parts in flight at the same time. They share commits, and no more of a blob is in memory. */
    private static final int AHEAD = 4;
    /** The number of files that one query compares with the database. */
    private static final int SWEPT_FILES = 500;
    /** The names of files: the number of the blob, and a random text that cannot be guessed or repeated. */
    private static final Pattern FILE = Pattern.compile("([0-9]{1,18})-[0-9a-f]{32}");

    private static final Logger log = SafeLogger.of(BlobStreams.class);

    private final OpenStore store;
    private final int inlineBytes;
    private final long maxBytes;
    private final @Nullable BlobFiles files;

    /**
     * Creates the streams of a store.
     *
     * @param inlineBytes the longest text that its row stores, in bytes of UTF-8
     * @param maxBytes the longest payload or result
     * @param files the place of new blobs; null: the database
     */
    public BlobStreams(OpenStore store, int inlineBytes, long maxBytes, @Nullable BlobFiles files) {
        this.store = store;
        this.inlineBytes = inlineBytes;
        this.maxBytes = maxBytes;
        this.files = files;
    }

    /** The target of parts: transactions of the store, or the caller's transaction. */
    public interface Target {
        CompletableFuture<Long> stage(Stage part);

        /** Drops a blob that no job will adopt. */
        void drop(long blob);
    }

    /**
     * Returns the target that writes each part in a transaction of the store, which it shares with few other commands.
     */
    public Target ownTransactions() {
        return new Target() {
            @Override
            public CompletableFuture<Long> stage(Stage part) {
                return store.submit(part);
            }

            @Override
            public void drop(long blob) {
                // The result is not awaited: if this fails, a sweep deletes the blob.
                CompletableFuture<Void> unused = store.submit(new Unstage(blob));
            }
        };
    }

    long maxBytes() {
        return maxBytes;
    }

    /** Returns the longest text that its row stores, in bytes of UTF-8. */
    int inlineBytes() {
        return inlineBytes;
    }

    /** True if the row stores the text. */
    boolean isInline(String text) {
        // A character takes at most three bytes, so most texts are short enough without counting.
        return text.length() <= inlineBytes / 3 || Payloads.bytes(text) <= inlineBytes;
    }

    /** Writes JSON text; returns the reference that the row stores instead. */
    String stage(Target target, String text, String what) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (InputStream in = new ByteArrayInputStream(bytes)) {
            return stage(target, in, BlobRef.Form.JSON, what).text();
        } catch (IOException e) {
            throw new IllegalStateException("an array could not be read", e);
        }
    }

    /** Writes the content of a stream; returns the reference that the row stores instead. */
    String stage(Target target, Content content, String what) {
        Long size = content.size();
        if (size != null && size > maxBytes) {
            throw tooLong(what, Long.toString(size));
        }
        try (InputStream in = content.open()) {
            return stage(target, in, BlobRef.Form.BYTES, what).text();
        } catch (IOException e) {
            throw new InvalidRequestException("%s cannot be read: %s".formatted(what, e), e);
        }
    }

    InvalidRequestException tooLong(String what, String bytes) {
        return new InvalidRequestException(
                "%s of %s bytes is not allowed: at most %d; see maxContentBytes of Windrow.configure(store)"
                        .formatted(what, bytes, maxBytes));
    }

    private BlobRef stage(Target target, InputStream in, BlobRef.Form form, String what) throws IOException {
        if (files != null) {
            return stage(files, target, in, form, what);
        }
        Staging staging = new Staging(target, what);
        boolean done = false;
        try {
            BlobRef ref = staging.run(in, form);
            done = true;
            return ref;
        } finally {
            Long blob = staging.blob;
            if (!done && blob != null) {
                target.drop(blob);
            }
        }
    }

    /**
     * Writes a blob to a file. The row comes first, so that no sweep deletes the file as unknown. The file is written
     * before the row is complete.
     */
    private BlobRef stage(BlobFiles files, Target target, InputStream in, BlobRef.Form form, String what)
            throws IOException {
        Staging staging = new Staging(target, what);
        long blob = staging.get(target.stage(Stage.first(new byte[0], null)));
        String name = blob + "-" + UUID.randomUUID().toString().replace("-", "");
        boolean done = false;
        try {
            Measured measured = new Measured(in, staging);
            try {
                files.write(name, measured);
            } catch (IOException e) {
                if (measured.failed) {
                    throw e;
                }
                throw new StoreUnavailableException(
                        "the %s could not be written to file %s in %s: %s".formatted(what, name, files, e), e);
            }
            Stage.Whole whole = staging.whole(name);
            staging.get(target.stage(Stage.further(blob, 1, new byte[0], whole)));
            done = true;
            return new BlobRef(blob, form, whole.bytes(), whole.sha256(), name);
        } finally {
            if (!done) {
                target.drop(blob);
                delete(files, name);
            }
        }
    }

    private static void delete(BlobFiles files, String name) {
        try {
            files.delete(name);
        } catch (IOException e) {
            log.warn(
                    "File {} in {}, which no job refers to, could not be deleted; the next sweep tries again: {}",
                    name,
                    files,
                    e.toString());
        }
    }

    /** The input of a file. It counts, limits and hashes the bytes that are read. */
    private static final class Measured extends InputStream {
        private final InputStream in;
        private final Staging staging;
        private boolean failed;

        Measured(InputStream in, Staging staging) {
            this.in = in;
            this.staging = staging;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            failed = true;
            int count = in.read(into, offset, length);
            failed = false;
            if (count > 0) {
                staging.took(into, offset, count);
            }
            return count;
        }
    }

    /**
     * Deletes the files that were written before this time and whose blobs do not exist. Their jobs are deleted, or
     * their transactions were rolled back. Returns the number of deleted files.
     */
    int sweepFiles(Instant before) {
        if (files == null) {
            return 0;
        }
        List<String> names;
        try {
            names = files.writtenBefore(before);
        } catch (IOException e) {
            log.warn(
                    "The files in {} could not be listed; files that no job refers to stay until the next sweep: {}",
                    files,
                    e.toString());
            return 0;
        }
        int deleted = 0;
        for (int i = 0; i < names.size(); i += SWEPT_FILES) {
            deleted += sweepFiles(files, names.subList(i, Math.min(names.size(), i + SWEPT_FILES)));
        }
        return deleted;
    }

    /**
     * Deletes these files, which have no reference any more. A file that cannot be deleted is left to the next sweep.
     * So are all of them if this process has no files.
     */
    public void deleteFiles(List<String> names) {
        if (files != null) {
            for (String name : names) {
                delete(files, name);
            }
        }
    }

    private int sweepFiles(BlobFiles files, List<String> names) {
        Map<String, Long> blobs = new HashMap<>();
        for (String name : names) {
            Matcher ours = FILE.matcher(name);
            if (ours.matches()) {
                blobs.put(name, Long.valueOf(ours.group(1)));
            }
        }
        Set<Long> there = store.existingBlobs(Set.copyOf(blobs.values()));
        blobs.values().removeAll(there);
        blobs.keySet().forEach(name -> delete(files, name));
        return blobs.size();
    }

    /** One blob that is being written to the store. */
    private final class Staging {
        private final Target target;
        private final String what;
        private final MessageDigest digest = sha256();
        private final Deque<CompletableFuture<Long>> ahead = new ArrayDeque<>();
        private @Nullable Long blob;
        private int position;
        private long bytes;

        Staging(Target target, String what) {
            this.target = target;
            this.what = what;
        }

        BlobRef run(InputStream in, BlobRef.Form form) throws IOException {
            byte[] part = take(in);
            byte[] next = part.length < Stage.MAX_BYTES ? new byte[0] : take(in);
            while (next.length > 0) {
                send(part, null);
                part = next;
                next = part.length < Stage.MAX_BYTES ? new byte[0] : take(in);
            }
            // The last part completes the blob, so it is sent after all others are written.
            while (!ahead.isEmpty()) {
                get(ahead.remove());
            }
            Stage.Whole whole = whole(null);
            send(part, whole);
            while (!ahead.isEmpty()) {
                get(ahead.remove());
            }
            return new BlobRef(blob == null ? 0 : blob, form, whole.bytes(), whole.sha256(), null);
        }

        private byte[] take(InputStream in) throws IOException {
            byte[] part = in.readNBytes(Stage.MAX_BYTES);
            took(part, 0, part.length);
            return part;
        }

        void took(byte[] read, int offset, int length) {
            digest.update(read, offset, length);
            bytes += length;
            if (bytes > maxBytes) {
                throw tooLong(what, "more than " + maxBytes);
            }
        }

        Stage.Whole whole(@Nullable String file) {
            return new Stage.Whole(bytes, HexFormat.of().formatHex(digest.digest()), file);
        }

        private void send(byte[] content, Stage.@Nullable Whole whole) {
            if (blob == null) {
                blob = get(target.stage(Stage.first(content, whole)));
            } else {
                if (ahead.size() == AHEAD) {
                    get(ahead.remove());
                }
                ahead.add(target.stage(Stage.further(blob, position, content, whole)));
            }
            position++;
        }

        long get(CompletableFuture<Long> answer) {
            try {
                return Answers.get(answer, "writing the " + what);
            } catch (OutcomeUnknownException e) {
                // The part may be written or not: no row refers to its blob.
                throw new StoreUnavailableException(
                        "the %s could not be written: %s; nothing refers to it".formatted(what, e.getMessage()), e);
            }
        }
    }

    /**
     * Reads the text of a blob.
     *
     * @throws ContentLostException if a part of it is missing, or its hash differs
     */
    String text(BlobRef ref) {
        if (ref.bytes() > Integer.MAX_VALUE - 8) {
            throw new InvalidRequestException(
                    "%d bytes of JSON do not fit into memory: read it as Content".formatted(ref.bytes()));
        }
        try (InputStream in = new BlobInput(ref)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StoreUnavailableException("blob %d cannot be read: %s".formatted(ref.id(), e), e);
        }
    }

    /** Returns the bytes of a blob as a stream, which reads them from the store when they are needed. */
    Content content(BlobRef ref) {
        return new Content() {
            @Override
            public Long size() {
                return ref.bytes();
            }

            @Override
            public String sha256() {
                return ref.sha256();
            }

            @Override
            public InputStream open() {
                return new BlobInput(ref);
            }
        };
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Reads a blob part by part, and compares length and hash at its end. */
    private final class BlobInput extends InputStream {
        private final BlobRef ref;
        private final MessageDigest digest = sha256();
        private byte[] part = new byte[0];
        private int at;
        private int position;
        private long bytes;
        private boolean ended;
        private @Nullable InputStream file;

        BlobInput(BlobRef ref) {
            this.ref = ref;
        }

        @Override
        public int read() throws IOException {
            return fill() ? part[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, into.length);
            if (length == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            int count = Math.min(length, part.length - at);
            System.arraycopy(part, at, into, offset, count);
            at += count;
            return count;
        }

        /** True if a byte is left to read. */
        private boolean fill() throws IOException {
            while (at == part.length && !ended) {
                if (position > 0 && bytes == ref.bytes()) {
                    ended = true;
                    if (!HexFormat.of().formatHex(digest.digest()).equals(ref.sha256())) {
                        throw lost("its SHA-256 differs from " + ref.sha256());
                    }
                } else {
                    byte[] next = ref.file() == null ? store.blobPart(ref.id(), position) : ofFile(ref.file());
                    if (next == null) {
                        throw lost(
                                "part %d is missing; if its job was deleted during the read, the part was deleted with it"
                                        .formatted(position));
                    }
                    digest.update(next);
                    bytes += next.length;
                    if (bytes > ref.bytes()) {
                        throw lost("it is longer than that");
                    }
                    part = next;
                    at = 0;
                    position++;
                }
            }
            return !ended;
        }

        /** Reads the next part of a file; null at its end. */
        private byte @Nullable [] ofFile(String name) throws IOException {
            if (files == null) {
                throw new StoreUnavailableException(
                        "blob %d is in file %s: configure blobFiles in Windrow.configure(store)"
                                .formatted(ref.id(), name));
            }
            try {
                if (file == null) {
                    file = files.open(name);
                }
            } catch (NoSuchFileException e) {
                throw lost("file %s is not in %s".formatted(name, files));
            }
            byte[] next = file.readNBytes(Stage.MAX_BYTES);
            return next.length == 0 && position > 0 ? null : next;
        }

        @Override
        public void close() throws IOException {
            if (file != null) {
                file.close();
            }
        }

        private ContentLostException lost(String why) {
            return new ContentLostException(
                    "blob %d of %d bytes is lost or damaged: %s".formatted(ref.id(), ref.bytes(), why));
        }

        @Override
        public int available() {
            return part.length - at;
        }
    }
}
