package dev.windrow.payload;

import dev.windrow.InvalidRequestException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Long payloads and results as files of one folder. All processes on the store see the folder, under the same path or different ones. */
public final class BlobFolder implements BlobFiles {
    /** The number of bytes that are copied at once. */
    private static final int BUFFER = 64 * 1024;
    /** The names of Windrow's files. Other files in the folder are not touched. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,60}");

    private final Path folder;

    private BlobFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Returns a storage in this folder. The folder must exist and belong to one store only.
     *
     * @throws InvalidRequestException if it is no folder
     */
    public static BlobFolder at(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new InvalidRequestException("folder '%s' is not allowed: the folder must exist".formatted(folder));
        }
        return new BlobFolder(folder);
    }

    private Path file(String name) {
        // A name from the database must not lead out of the folder.
        if (!NAME.matcher(name).matches()) {
            throw new InvalidRequestException("file '%s' is not allowed: 1 to 60 of a-z 0-9 -".formatted(name));
        }
        return folder.resolve(name + ".blob");
    }

    @Override
    public void write(String name, InputStream content) throws IOException {
        Path file = file(name);
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            byte[] buffer = new byte[BUFFER];
            int count;
            while ((count = content.read(buffer)) >= 0) {
                ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, count);
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
            }
            out.force(true);
        }
        syncFolder();
    }

    /** Makes the name of a new file durable, which the file itself needs. Systems that cannot open a folder do that by themselves. */
    private void syncFolder() throws IOException {
        if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
            try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
                names.force(true);
            }
        }
    }

    @Override
    public InputStream open(String name) throws IOException {
        return Files.newInputStream(file(name));
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(file(name));
    }

    @Override
    public List<String> writtenBefore(Instant time) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.blob")) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                if (isWrittenBefore(time, file)) {
                    names.add(name.substring(0, name.length() - ".blob".length()));
                }
            }
        }
        return names;
    }

    private static boolean isWrittenBefore(Instant time, Path file) throws IOException {
        try {
            return Files.getLastModifiedTime(file).toInstant().isBefore(time);
        } catch (NoSuchFileException e) {
            return false; // another process or thread has deleted it
        }
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
