package dev.windrow.peers;

import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The peer Windrow with its defaults, including the whole audit trail. */
final class WindrowPeer extends Peer {
    private static final JobType<String, Void> NO_OP = JobType.of("no-op", String.class);
    private static final int BULK = 1000;

    WindrowPeer(Place place) {
        super("Windrow", place, place.durability() == Place.Durability.FULL ? "as it comes" : "durability NORMAL");
    }

    @Override
    Subject open(Place.Ground ground, Ledger ledger) {
        Windrow windrow = Windrow.open(ground.store());
        return new Subject() {
            private @Nullable Worker worker;

            @Override
            public void enqueue(int number) {
                windrow.enqueue(NO_OP, Ledger.payload(number));
            }

            @Override
            public void enqueueAll(int first, int count) {
                for (int start = first; start < first + count; start += BULK) {
                    List<JobRequest<String, Void>> jobs = new ArrayList<>(BULK);
                    for (int i = start; i < Math.min(first + count, start + BULK); i++) {
                        jobs.add(NO_OP.job(Ledger.payload(i)));
                    }
                    windrow.enqueueAll(jobs);
                }
            }

            @Override
            public void work(int slots) {
                worker = windrow.worker()
                        .concurrency(slots)
                        .handleVoid(NO_OP, (input, job) -> ledger.ran(input))
                        .start();
            }

            @Override
            public long unfinished() {
                Map<JobState, Long> states = windrow.monitor().statistics().states();
                return states.values().stream().mapToLong(Long::longValue).sum()
                        - states.getOrDefault(JobState.COMPLETED, 0L);
            }

            @Override
            public void close() {
                if (worker != null) {
                    worker.close();
                }
                windrow.close();
            }
        };
    }
}
