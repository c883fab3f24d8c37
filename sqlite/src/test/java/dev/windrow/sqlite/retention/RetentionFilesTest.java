package dev.windrow.sqlite.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.payload.BlobRef;
import dev.windrow.retention.RetentionRules;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.store.Author;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.testkit.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of blobs that may be deleted right after the commit that deletes their jobs. No power loss may bring these jobs back. */
class RetentionFilesTest {
    @TempDir
    private Path folder;

    /** Returns the files that a store allows to delete after it has deleted a job whose payload is in a file. */
    private List<String> filesThatMayGo(Durability durability) {
        ManualTime time = new ManualTime();
        SqliteStore place = SqliteStore.configure(folder.resolve(durability + ".db"))
                .durability(durability)
                .build();
        try (StoreDriver driver = new StoreDriver(place, time)) {
            OpenStore store = driver.store();
            long blob = StoreDriver.answer(store.submit(Stage.first(new byte[0], null)));
            Stage.Whole whole = new Stage.Whole(5, "0".repeat(64), "1-file");
            StoreDriver.answer(store.submit(Stage.further(blob, 1, new byte[0], whole)));
            BlobRef ref = new BlobRef(blob, BlobRef.Form.JSON, whole.bytes(), whole.sha256(), whole.file());
            long id = driver.enqueue(NewRow.job().payload(ref.text()));
            driver.change(Verb.CANCEL, id);
            time.advance(Duration.ofDays(31));
            List<Expiry.Unit> units = store.expiring(new Expiry.Search(RetentionRules.DEFAULT, null, null))
                    .units();
            Expiry.Done done = StoreDriver.answer(store.submit(
                    Expire.first(units, new Expire.Pass(new Author("j", null), "r", time.millis(), null))));
            assertThat(store.history(id)).isEmpty();
            return done.deleted().files();
        }
    }

    @Test
    void theSweepDeletesBlobFilesWhereACommitMayBeLost() {
        assertThat(filesThatMayGo(Durability.FULL)).containsExactly("1-file");
        assertThat(filesThatMayGo(Durability.NORMAL)).isEmpty();
    }
}
