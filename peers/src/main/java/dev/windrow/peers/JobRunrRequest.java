package dev.windrow.peers;

import java.util.function.Consumer;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;

/**
 * A job of JobRunr, which finds its handler by reflection and so wants both public.
 *
 * @param payload what the handler gets
 */
public record JobRunrRequest(String payload) implements JobRequest {
    @Override
    public Class<Handler> getJobRequestHandler() {
        return Handler.class;
    }

    /**
     * What runs it.
     *
     * @param done is told the payload
     */
    public record Handler(Consumer<String> done) implements JobRequestHandler<JobRunrRequest> {
        @Override
        public void run(JobRunrRequest request) {
            done.accept(request.payload());
        }
    }
}
