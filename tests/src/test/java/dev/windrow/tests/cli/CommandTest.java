package dev.windrow.tests.cli;

import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** What tests of commands share that run on each store: a queue of the test's own, which is not there yet. */
@OnceOnEachStore
public abstract class CommandTest {
    @Parameter
    StoreKind kind;

    @TempDir
    public Path folder;

    public Target target;
    public Cli cli;

    @BeforeEach
    final void setUpTarget() {
        target = kind.newTarget(folder);
        cli = new Cli(folder).on(target);
    }

    @AfterEach
    final void dropTarget() throws SQLException {
        target.close();
    }

    /** The state of a job. */
    public final String state(String id) {
        return cli.json("show", id, "--json").get("state").asString();
    }
}
