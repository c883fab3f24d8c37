package dev.windrow.engine;

import dev.windrow.BlobRef;
import dev.windrow.Content;
import dev.windrow.ContentLostException;
import dev.windrow.InvalidRequestException;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.store.BlobPart;
import dev.windrow.store.Store;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Payloads and results that are kept apart from their rows: written part by part before them, read part by part. */
final class Blobs {
    /** Parts on their way at the same time: they share commits, and no more of a blob is in memory. */
    private static final int AHEAD = 4;

    private final Store store;
    private final int inlineBytes;
    private final long maxBytes;

    /**
     * @param inlineBytes the longest text that stands in its row, in bytes of UTF-8
     * @param maxBytes the longest payload or result
     */
    Blobs(Store store, int inlineBytes, long maxBytes) {
        this.store = store;
        this.inlineBytes = inlineBytes;
        this.maxBytes = maxBytes;
    }

    /** Where parts go: transactions of the store's, or the caller's. */
    interface Target {
        CompletableFuture<Long> stage(BlobPart part);

        /** Nobody will adopt this blob. */
        void drop(long blob);
    }

    /** Each part in a transaction that it shares with little. */
    Target ownTransactions() {
        return new Target() {
            @Override
            public CompletableFuture<Long> stage(BlobPart part) {
                return store.stage(part);
            }

            @Override
            public void drop(long blob) {
                // Not waited for: if it fails, the blob is swept.
                CompletableFuture<Void> unused = store.unstage(blob);
            }
        };
    }

    long maxBytes() {
        return maxBytes;
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
            byte[] next = part.length < BlobPart.MAX_BYTES ? new byte[0] : take(in);
            while (next.length > 0) {
                send(part, null);
                part = next;
                next = part.length < BlobPart.MAX_BYTES ? new byte[0] : take(in);
            }
            // Not before all others are written: with the last part the blob is whole.
            while (!ahead.isEmpty()) {
                get(ahead.remove());
            }
            BlobPart.Whole whole = new BlobPart.Whole(bytes, HexFormat.of().formatHex(digest.digest()));
            send(part, whole);
            while (!ahead.isEmpty()) {
                get(ahead.remove());
            }
            return new BlobRef(blob == null ? 0 : blob, form, whole.bytes(), whole.sha256());
        }

        private byte[] take(InputStream in) throws IOException {
            byte[] part = in.readNBytes(BlobPart.MAX_BYTES);
            digest.update(part);
            bytes += part.length;
            if (bytes > maxBytes) {
                throw tooLong(what, "more than " + maxBytes);
            }
            return part;
        }

        private void send(byte[] content, BlobPart.@Nullable Whole whole) {
            if (blob == null) {
                blob = get(target.stage(BlobPart.first(content, whole)));
            } else {
                if (ahead.size() == AHEAD) {
                    get(ahead.remove());
                }
                ahead.add(target.stage(BlobPart.further(blob, position, content, whole)));
            }
            position++;
        }

        private long get(CompletableFuture<Long> answer) {
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
            throw new IllegalStateException("a blob's stream does not fail so", e);
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

        BlobInput(BlobRef ref) {
            this.ref = ref;
        }

        @Override
        public int read() {
            return fill() ? part[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
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
        private boolean fill() {
            while (at == part.length && !ended) {
                if (position > 0 && bytes == ref.bytes()) {
                    ended = true;
                    if (!HexFormat.of().formatHex(digest.digest()).equals(ref.sha256())) {
                        throw lost("its SHA-256 is another one than " + ref.sha256());
                    }
                } else {
                    byte[] next = store.blobPart(ref.id(), position);
                    if (next == null) {
                        throw lost("part %d is not there".formatted(position));
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
