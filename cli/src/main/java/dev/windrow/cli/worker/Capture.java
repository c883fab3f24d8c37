package dev.windrow.cli.worker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads one output stream of a process to its end, so that the process never waits for a reader. Keeps the first 64
 * KiB and the last few hundred characters.
 */
final class Capture {
    static final int LIMIT = 64 * 1024;

    private static final int TAIL = 4 * 500; // 500 characters of at most four bytes

    private final InputStream in;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private final byte[] tail = new byte[TAIL];
    private long total;

    private Capture(InputStream in, String name) {
        this.in = in;
        // A platform thread: reading from a pipe would pin a virtual thread's carrier.
        this.thread = new Thread(this::read, name);
        thread.setDaemon(true);
    }

    static Capture start(InputStream in, String name) {
        Capture capture = new Capture(in, name);
        capture.thread.start();
        return capture;
    }

    private void read() {
        byte[] buffer = new byte[8192];
        try {
            int n;
            while ((n = in.read(buffer)) >= 0) {
                keep(buffer, n);
            }
        } catch (IOException e) {
            // The stream was closed by finish(), or the process died: the bytes that were read stay.
            return;
        }
    }

    private void keep(byte[] buffer, int n) {
        lock.lock();
        try {
            head.write(buffer, 0, Math.min(n, LIMIT - head.size()));
            for (int i = Math.max(0, n - TAIL); i < n; i++) {
                tail[(int) ((total + i) % TAIL)] = buffer[i];
            }
            total += n;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the reading, at the end of the stream or after the given time. A process that was left in the background
     * may hold the stream open forever.
     */
    void finish(Duration patience) throws InterruptedException {
        thread.join(patience.toMillis());
        if (thread.isAlive()) {
            // Closing may wait for the current read, so another thread does it.
            Thread closer = new Thread(this::close, thread.getName() + "-close");
            closer.setDaemon(true);
            closer.start();
        }
    }

    private void close() {
        try {
            in.close();
        } catch (IOException e) {
            // The stream has no reader any more.
            return;
        }
    }

    /** Returns the beginning of the output, with malformed UTF-8 replaced. */
    String text() {
        lock.lock();
        try {
            byte[] bytes = head.toByteArray();
            int end = total > LIMIT ? wholeCharacters(bytes) : bytes.length;
            return new String(bytes, 0, end, StandardCharsets.UTF_8);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of bytes after the stored beginning. */
    long dropped() {
        lock.lock();
        try {
            return Math.max(0, total - LIMIT);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the last characters of the output, at most this many. */
    String end(int characters) {
        lock.lock();
        try {
            int length = (int) Math.min(total, TAIL);
            byte[] bytes = new byte[length];
            for (int i = 0; i < length; i++) {
                bytes[i] = tail[(int) ((total - length + i) % TAIL)];
            }
            String text = new String(bytes, StandardCharsets.UTF_8).strip();
            if (text.length() <= characters) {
                return text;
            }
            int start = text.length() - characters;
            return text.substring(Character.isLowSurrogate(text.charAt(start)) ? start + 1 : start);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of bytes without an incomplete last character, which would look malformed. */
    private static int wholeCharacters(byte[] bytes) {
        int start = bytes.length;
        while (start > 0 && bytes.length - start < 3 && (bytes[start - 1] & 0xc0) == 0x80) {
            start--;
        }
        if (start == 0 || (bytes[start - 1] & 0xc0) != 0xc0) {
            return bytes.length;
        }
        int lead = bytes[start - 1] & 0xff;
        int length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
        return bytes.length - (start - 1) < length ? start - 1 : bytes.length;
    }
}
