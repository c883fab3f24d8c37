package dev.windrow.cli.retention;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.database.OwnFiles;
import dev.windrow.contract.Parts;
import dev.windrow.payload.Json;
import dev.windrow.wire.JobJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The content of the file when a deletion begins, and after a failure. */
class ArchiveFileTest {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = folder.resolve("old.jsonl");
    }

    private static JobHistory history(long id) {
        Instant noon = Instant.parse("2026-11-22T12:00:00Z");
        JobInfo job = Parts.of(
                JobInfo.class,
                Map.ofEntries(
                        entry("id", id),
                        entry("type", "t"),
                        entry("queue", "q"),
                        entry("state", JobState.CANCELLED),
                        entry("maxAttempts", 3),
                        entry("createdAt", noon),
                        entry("scheduledAt", noon),
                        entry("finishedAt", noon),
                        entry("chainId", id)));
        return Parts.of(JobHistory.class, Map.of("job", job, "payload", new Json("{}")));
    }

    private static List<JobHistory> histories(long... ids) {
        return LongStream.of(ids).mapToObj(ArchiveFileTest::history).toList();
    }

    private ArchiveFile open() {
        return ArchiveFile.open(folder, file.toString(), new OwnFiles());
    }

    private static String lines(long... ids) {
        StringBuilder lines = new StringBuilder();
        histories(ids).forEach(history -> lines.append(JobJson.line(history)).append('\n'));
        return lines.toString();
    }

    /** A file whose disk accepts a few bytes at a time and may be full. It records the calls. */
    private static final class Disk extends FileChannel {
        private final FileChannel real;
        private final List<String> done = new ArrayList<>();
        private long room = Long.MAX_VALUE;
        private boolean forces = true;

        Disk(Path file) throws IOException {
            real = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            real.position(real.size());
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            if (room == 0) {
                throw new IOException("no room");
            }
            int count = (int) Math.min(room, Math.min(10, from.remaining()));
            ByteBuffer some = from.slice(from.position(), count);
            int written = real.write(some);
            from.position(from.position() + written);
            room -= written;
            done.add("write");
            return written;
        }

        @Override
        public void force(boolean metadata) throws IOException {
            done.add("force");
            if (!forces) {
                throw new IOException("not on the disk");
            }
            real.force(metadata);
        }

        @Override
        public long position() throws IOException {
            return real.position();
        }

        @Override
        public FileChannel position(long position) throws IOException {
            real.position(position);
            return this;
        }

        @Override
        public long size() throws IOException {
            return real.size();
        }

        @Override
        public FileChannel truncate(long size) throws IOException {
            real.truncate(size);
            return this;
        }

        @Override
        protected void implCloseChannel() throws IOException {
            real.close();
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            return real.read(to);
        }

        @Override
        public long read(ByteBuffer[] to, int offset, int length) throws IOException {
            return real.read(to, offset, length);
        }

        @Override
        public int read(ByteBuffer to, long position) throws IOException {
            return real.read(to, position);
        }

        @Override
        public long write(ByteBuffer[] from, int offset, int length) throws IOException {
            return real.write(from, offset, length);
        }

        @Override
        public int write(ByteBuffer from, long position) throws IOException {
            return real.write(from, position);
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
            return real.transferTo(position, count, target);
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) throws IOException {
            return real.transferFrom(source, position, count);
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
            return real.map(mode, position, size);
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) throws IOException {
            return real.lock(position, size, shared);
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) throws IOException {
            return real.tryLock(position, size, shared);
        }
    }

    @Test
    void aBatchIsOnTheDiskWhenTheCallReturns() throws IOException {
        Disk disk = new Disk(file);
        try (ArchiveFile archive = new ArchiveFile(disk)) {
            archive.archive(histories(1, 2));
            assertThat(disk.done).startsWith("write").endsWith("force").containsOnlyOnce("force");
            assertThat(Files.readString(file)).isEqualTo(lines(1, 2));
            archive.archive(histories(3));
            assertThat(disk.done).endsWith("write", "force");
            assertThat(archive.jobs()).isEqualTo(3);
        }
        assertThat(Files.readString(file)).isEqualTo(lines(1, 2, 3));
        assertThat(disk.isOpen()).isFalse();
    }

    @Test
    void aBatchThatDoesNotFitLeavesNothingAndTheNextOneTakesItsPlace() throws IOException {
        Disk disk = new Disk(file);
        try (ArchiveFile archive = new ArchiveFile(disk)) {
            archive.archive(histories(1));
            disk.room = 15;
            assertThatThrownBy(() -> archive.archive(histories(2, 3))).hasMessage("no room");
            assertThat(Files.readString(file)).isEqualTo(lines(1));
            disk.room = Long.MAX_VALUE;
            archive.archive(histories(4));
            assertThat(archive.jobs()).as("that are in the file").isEqualTo(2);
        }
        assertThat(Files.readString(file)).isEqualTo(lines(1, 4));
    }

    @Test
    void aBatchThatIsWrittenAndDoesNotReachTheDiskIsRefused() throws IOException {
        Disk disk = new Disk(file);
        disk.forces = false;
        try (ArchiveFile archive = new ArchiveFile(disk)) {
            assertThatThrownBy(() -> archive.archive(histories(1))).hasMessage("not on the disk");
            assertThat(archive.jobs()).isZero();
        }
        assertThat(file).isEmptyFile();
    }

    @Test
    void itAppendsToAFileAndEndsAnIncompleteLine() throws IOException {
        try (ArchiveFile archive = open()) {
            archive.archive(histories(1));
            assertThat(archive.jobs()).isEqualTo(1);
        }
        assertThat(Files.readString(file)).isEqualTo(lines(1));
        try (ArchiveFile archive = open()) {
            archive.archive(histories(2));
            assertThat(archive.jobs()).as("of this process").isEqualTo(1);
        }
        assertThat(Files.readString(file)).isEqualTo(lines(1, 2));
        Files.writeString(file, "{\"id\":", StandardOpenOption.APPEND);
        try (ArchiveFile archive = open()) {
            archive.archive(histories(1));
        }
        assertThat(Files.readString(file)).isEqualTo(lines(1, 2) + "{\"id\":\n" + lines(1));
    }

    @Test
    void aFileWithoutAppendedJobsIsUnchanged() throws IOException {
        open().close();
        assertThat(file).isEmptyFile();
        Files.writeString(file, lines(1));
        open().close();
        assertThat(Files.readString(file)).isEqualTo(lines(1));
    }

    @Test
    void anUnwritableFileIsNamedWithTheReason() throws IOException {
        assertThatThrownBy(() -> ArchiveFile.open(folder, "", new OwnFiles()))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--archive");
        assertThatThrownBy(() -> ArchiveFile.open(folder, folder.toString(), new OwnFiles()))
                .isInstanceOf(FailedException.class)
                .hasMessage("cannot write '%s' (--archive): it is a folder; nothing was deleted", folder);
        Path missing = folder.resolve("no").resolve("file");
        assertThatThrownBy(() -> ArchiveFile.open(folder, missing.toString(), new OwnFiles()))
                .isInstanceOf(FailedException.class)
                .hasMessage(
                        "cannot write '%s' (--archive): the file or folder does not exist; nothing was deleted",
                        missing);
        Files.writeString(file, "of a database");
        Path link = Files.createLink(folder.resolve("link"), file);
        assertThatThrownBy(() -> ArchiveFile.open(folder, link.toString(), new OwnFiles(file)))
                .isInstanceOf(FailedException.class)
                .hasMessageContaining("it is the database itself; nothing was deleted");
        assertThat(Files.readString(file)).isEqualTo("of a database");
    }
}
