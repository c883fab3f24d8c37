package dev.windrow.tests.docs.payload;

import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.BlobFolder;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.GZIPOutputStream;

/** The code of docs/how-to/payloads.md. */
final class PayloadsSnippet {
    private PayloadsSnippet() {}

    static Windrow open(Store store) {
        // region configure
        Windrow windrow = Windrow.configure(store)
                .inlineBytes(16 * 1024) // longer ones are stored separately; default 64 KiB
                .maxContentBytes(1L << 30) // longer ones are refused; default 64 MiB
                .open();
        // endregion
        return windrow;
    }

    static Windrow open(Store store, Path folder) {
        // region files
        Windrow windrow =
                Windrow.configure(store).blobFiles(BlobFolder.at(folder)).open();
        // endregion
        return windrow;
    }

    // region type
    static final JobType<Content, Content> COMPRESS = JobType.of("file.compress", Content.class, Content.class);
    // endregion

    // region handler
    static Content compress(Content file) throws IOException {
        Path compressed = Files.createTempFile("compress", ".gz");
        try (InputStream in = file.open();
                OutputStream out = new GZIPOutputStream(Files.newOutputStream(compressed))) {
            in.transferTo(out);
        }
        return Content.of(compressed); // read after the handler has returned
    }
    // endregion

    static void run(Windrow windrow, Path from, Path to) throws IOException {
        // region stream
        JobRef<Content> job = windrow.enqueue(COMPRESS, Content.of(from));
        try (Worker worker = windrow.worker()
                .handle(COMPRESS, (file, context) -> compress(file))
                .start()) {
            Content result = windrow.await(job, Duration.ofMinutes(5));
            System.out.println(worker.name() + " made " + result.size() + " bytes, " + result.sha256());
            try (InputStream in = result.open()) {
                Files.copy(in, to);
            }
        }
        // endregion
    }

    static String look(Windrow windrow, long id) throws IOException {
        // region look
        JobHistory history = windrow.job(id).history();
        BlobRef ref =
                history.payload() == null ? null : BlobRef.of(history.payload().text());
        if (ref == null) {
            return "loaded: " + history.payload();
        }
        try (InputStream in = windrow.job(id).payload().orElseThrow().open()) {
            return ref.bytes() + " bytes, beginning with " + in.read();
        }
        // endregion
    }
}
