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

/** Long payloads and results as files of one folder, which all processes on the store see under the same path or another. */
public final class BlobFolder implements BlobFiles {
    /** The bytes that are copied at once. */
    private static final int BUFFER = 64 * 1024;
    /** What Windrow calls its files; others in the folder are not touched. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,60}");

    private final Path folder;

    private BlobFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Files in this folder, which exists and belongs to one store alone.
     *
     * @throws InvalidRequestException if it is no folder
     */
    public static BlobFolder at(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new InvalidRequestException("folder '%s' is not allowed: it has to be there".formatted(folder));
        }
        return new BlobFolder(folder);
    }

    private Path file(String name) {
        // What the database says must not lead elsewhere.
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

    /** A new file is durable when its name is. Systems that cannot open a folder keep names by themselves. */
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
            return false; // somebody else has deleted it
        }
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
