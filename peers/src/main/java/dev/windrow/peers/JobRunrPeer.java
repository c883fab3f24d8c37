package dev.windrow.peers;

import com.zaxxer.hikari.HikariDataSource;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.states.StateName;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * The peer JobRunr with job requests, which avoid the analysis of a lambda's byte code. It has the shortest poll that
 * JobRunr accepts (5 s). The time before the first job does not count.
 */
final class JobRunrPeer extends Peer {
    JobRunrPeer(Place place) {
        super("JobRunr", place, place.setup());
    }

    @Override
    Subject open(Place.Ground ground, Ledger ledger) {
        HikariDataSource pool = ground.pool();
        StorageProvider storage = SqlStorageProviderFactory.using(pool);
        JobRequestScheduler scheduler = JobRunr.configure()
                .useJsonMapper(new Jackson3JsonMapper())
                .useStorageProvider(storage)
                .initialize()
                .getJobRequestScheduler();
        return new Subject() {
            private @Nullable BackgroundJobServer server;

            @Override
            public void enqueue(int number) {
                scheduler.enqueue(new JobRunrRequest(Ledger.payload(number)));
            }

            @Override
            public void enqueueAll(int first, int count) {
                scheduler.enqueue(IntStream.range(first, first + count)
                        .mapToObj(number -> new JobRunrRequest(Ledger.payload(number))));
            }

            @Override
            public void work(int slots) {
                server = new BackgroundJobServer(
                        storage,
                        new Jackson3JsonMapper(),
                        new JobActivator() {
                            @Override
                            public <T> T activateJob(Class<T> type) {
                                return type.cast(new JobRunrRequest.Handler(ledger::ran));
                            }
                        },
                        BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                                .andWorkerCount(slots)
                                .andPollIntervalInSeconds(5));
                server.start();
            }

            @Override
            public long unfinished() {
                return Stream.of(StateName.ENQUEUED, StateName.PROCESSING, StateName.SCHEDULED, StateName.FAILED)
                        .mapToLong(storage::countJobs)
                        .sum();
            }

            @Override
            public void close() {
                if (server != null) {
                    server.stop();
                }
                JobRunr.destroy();
                storage.close();
                pool.close();
            }
        };
    }
}
