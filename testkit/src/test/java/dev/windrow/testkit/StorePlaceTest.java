package dev.windrow.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The test kit without a store on the class path. */
class StorePlaceTest {
    @Test
    void aMissingStoreIsNamed(@TempDir Path folder) {
        assertThatThrownBy(() -> StorePlace.find(stores -> stores.inFolder(folder)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(
                        "no module of a store that fits was found: add windrow-sqlite, or for a PostgreSQL URL or data source windrow-postgres, to the class path");
        assertThatThrownBy(() -> StorePlace.ofUrl("jdbc:postgresql:jobs")).isInstanceOf(InvalidRequestException.class);
    }
}
