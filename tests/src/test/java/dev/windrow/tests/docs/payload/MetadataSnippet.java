package dev.windrow.tests.docs.payload;

import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.LogLevel;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobMatches;
import dev.windrow.query.PayloadMatch;

/** The code of docs/how-to/metadata.md. */
final class MetadataSnippet {
    // region types
    static final JobType<Json, Json> PACK = JobType.raw("order.pack");
    static final JobType<Json, Json> SHIP = JobType.raw("order.ship");
    // endregion

    private MetadataSnippet() {}

    static JobRef<Json> enqueue(Windrow windrow, Json order) {
        // region enqueue
        Metadata metadata =
                Metadata.none().with("customer", 42).with("order", "A-7").with("description", "Order A-7 of Ann");
        JobRef<Json> job = windrow.enqueue(PACK.job(order).withMetadata(metadata));
        // endregion
        return job;
    }

    // region handler
    static Json pack(Json order, JobContext job) {
        String customer = job.metadata().text("customer").orElse("unknown");
        job.log(LogLevel.INFO, "packs for customer " + customer);
        job.mergeMetadata(Metadata.none().with("parcels", 2));
        job.continueWith(SHIP.job(order).withMetadata(job.metadata()));
        return order;
    }
    // endregion

    static void change(Windrow windrow, JobRef<Json> job) {
        // region change
        windrow.as("ann").job(job).mergeMetadata(Metadata.parse("{\"carrier\":\"DHL\",\"description\":null}"));
        // endregion
    }

    // region search
    static JobMatches ofCustomer(Windrow windrow, long customer) {
        return windrow.jobs(JobFilter.ALL.withType(PACK))
                .newestFirst()
                .searchMetadata(PayloadMatch.equalTo("$.customer", customer));
    }
    // endregion

    static Windrow open(Store store) {
        // region logs
        Windrow windrow =
                Windrow.configure(store).metadataInLogs("customer", "order").open();
        // endregion
        return windrow;
    }
}
