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

/** Payloads and results that are kept apart from their rows: written part by part before them, read part by part. */
public final class BlobStreams {
    /** Parts on their way at the same time: they share commits, and no more of a blob is in memory. */
    private static final int AHEAD = 4;
    /** Files that are compared with the database at once. */
    private static final int SWEPT_FILES = 500;
    /** What files are called: the number of their blob, and something that nobody can guess or repeat. */
    private static final Pattern FILE = Pattern.compile("([0-9]{1,18})-[0-9a-f]{32}");

    private static final Logger log = SafeLogger.of(BlobStreams.class);

    private final OpenStore store;
    private final int inlineBytes;
    private final long maxBytes;
    private final @Nullable BlobFiles files;

    /**
     * @param inlineBytes the longest text that stands in its row, in bytes of UTF-8
     * @param maxBytes the longest payload or result
     * @param files where new blobs go; null: into the database
     */
    public BlobStreams(OpenStore store, int inlineBytes, long maxBytes, @Nullable BlobFiles files) {
        this.store = store;
        this.inlineBytes = inlineBytes;
        this.maxBytes = maxBytes;
        this.files = files;
    }

    /** Where parts go: transactions of the store's, or the caller's. */
    public interface Target {
        CompletableFuture<Long> stage(Stage part);

        /** Nobody will adopt this blob. */
        void drop(long blob);
    }

    /** Each part in a transaction that it shares with little. */
    public Target ownTransactions() {
        return new Target() {
            @Override
            public CompletableFuture<Long> stage(Stage part) {
                return store.submit(part);
            }

            @Override
            public void drop(long blob) {
                // Not waited for: if it fails, the blob is swept.
                CompletableFuture<Void> unused = store.submit(new Unstage(blob));
            }
        };
    }

    long maxBytes() {
        return maxBytes;
    }

    /** The longest text that stands in its row, in bytes of UTF-8. */
    int inlineBytes() {
        return inlineBytes;
    }

    /** Whether text stands in its row. */
    boolean isInline(String text) {
        // A character takes at most three bytes: most texts are short enough without counting.
        return text.length() <= inlineBytes / 3 || Payloads.bytes(text) <= inlineBytes;
    }

    /** Writes JSON text; answers what stands in its place. */
    String stage(Target target, String text, String what) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (InputStream in = new ByteArrayInputStream(bytes)) {
            return stage(target, in, BlobRef.Form.JSON, what).text();
        } catch (IOException e) {
            throw new IllegalStateException("an array could not be read", e);
        }
    }

    /** Writes what a stream gives; answers what stands in its place. */
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

    /** The row first, so that no sweep takes the file for one that nobody knows; and then the file, before the row is whole. */
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
                    "File {} in {}, which nothing refers to, could not be deleted, and is looked at again at the next sweep: {}",
                    name,
                    files,
                    e.toString());
        }
    }

    /** What is read into a file: counted, bounded and hashed on its way. */
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
     * Deletes the files that were written before this time and whose blobs are not there: their jobs are gone, or their
     * transactions were rolled back. Answers how many.
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
                    "The files in {} could not be listed; those that nothing refers to stay until the next sweep: {}",
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
     * Deletes these files, to which nothing refers any more. What fails, and what is not known here because this process keeps no files, is left to
     * the next sweep.
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

    /** One blob on its way into the store. */
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
            // Not before all others are written: with the last part the blob is whole.
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
                // Whatever became of the part: nothing names its blob.
                throw new StoreUnavailableException(
                        "the %s could not be written: %s; nothing refers to it".formatted(what, e.getMessage()), e);
            }
        }
    }

    /**
     * The text of a blob.
     *
     * @throws ContentLostException if some of it is not there, or its hash is another one
     */
    String text(BlobRef ref) {
        if (ref.bytes() > Integer.MAX_VALUE - 8) {
            throw new InvalidRequestException(
                    "%d bytes of JSON do not fit into memory; take it as Content".formatted(ref.bytes()));
        }
        try (InputStream in = new BlobInput(ref)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StoreUnavailableException("blob %d cannot be read: %s".formatted(ref.id(), e), e);
        }
    }

    /** The bytes of a blob, read while they are read. */
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

    /** Reads a blob part by part, and at its end compares length and hash. */
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

        /** Whether there is a byte to read. */
        private boolean fill() throws IOException {
            while (at == part.length && !ended) {
                if (position > 0 && bytes == ref.bytes()) {
                    ended = true;
                    if (!HexFormat.of().formatHex(digest.digest()).equals(ref.sha256())) {
                        throw lost("its SHA-256 is another one than " + ref.sha256());
                    }
                } else {
                    byte[] next = ref.file() == null ? store.blobPart(ref.id(), position) : ofFile(ref.file());
                    if (next == null) {
                        throw lost("part %d is not there; it went with its job if that was deleted meanwhile"
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

        /** The next part of a file; null at its end. */
        private byte @Nullable [] ofFile(String name) throws IOException {
            if (files == null) {
                throw new StoreUnavailableException(
                        "blob %d is in file %s, and blobFiles of Windrow.configure(store) does not say where that is"
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
