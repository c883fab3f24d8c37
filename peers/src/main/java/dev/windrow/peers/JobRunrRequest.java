package dev.windrow.peers;

import java.util.function.Consumer;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;

/**
 * A job of JobRunr. JobRunr finds its handler by reflection, so both must be public.
 *
 * @param payload the input of the handler
 */
public record JobRunrRequest(String payload) implements JobRequest {
    @Override
    public Class<Handler> getJobRequestHandler() {
        return Handler.class;
    }

    /**
     * The handler of the job.
     *
     * @param done called with the payload
     */
    public record Handler(Consumer<String> done) implements JobRequestHandler<JobRunrRequest> {
        @Override
        public void run(JobRunrRequest request) {
            done.accept(request.payload());
        }
    }
}
