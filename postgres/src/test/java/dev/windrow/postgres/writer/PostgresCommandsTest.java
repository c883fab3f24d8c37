package dev.windrow.postgres.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.store.Command;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Release;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Started;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PostgresCommandsTest {
    @Test
    void eachCommandIsAppliedAloneOrInABatch() {
        Set<Class<?>> commands = new HashSet<>(Arrays.asList(Command.class.getPermittedSubclasses()));
        commands.remove(Command.Internal.class);
        commands.removeAll(Set.of(Started.class, Report.class, Renew.class, Release.class, Claim.class));
        assertThat(PostgresCommands.commands()).isEqualTo(commands);
    }
}
