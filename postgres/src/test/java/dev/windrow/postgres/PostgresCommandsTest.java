package dev.windrow.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.store.Claim;
import dev.windrow.store.Command;
import dev.windrow.store.Release;
import dev.windrow.store.Renew;
import dev.windrow.store.Report;
import dev.windrow.store.Started;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PostgresCommandsTest {
    @Test
    void eachCommandIsAppliedOneByOneOrTogetherWithOthers() {
        Set<Class<?>> commands = new HashSet<>(Arrays.asList(Command.class.getPermittedSubclasses()));
        commands.remove(Command.Internal.class);
        commands.removeAll(Set.of(Started.class, Report.class, Renew.class, Release.class, Claim.class));
        assertThat(PostgresCommands.commands()).isEqualTo(commands);
    }
}
