package dev.windrow.cli.worker;

import dev.windrow.JobState;
import dev.windrow.cli.terminal.Times;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.monitor.WindrowListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of ended attempts, a line each, except failures, which the engine logs. Shown with {@code --verbose}. */
final class WorkLog implements WindrowListener {
    private final Logger log = LoggerFactory.getLogger(WorkLog.class);

    @Override
    public void on(WindrowEvent event) {
        if (log.isInfoEnabled()
                && event instanceof WindrowEvent.AttemptEnded ended
                && (ended.errorCode() == null || ended.state() == JobState.CANCELLED)) {
            log.info(
                    "Job {}, {}: attempt {} {} after {}{}, now {}",
                    ended.id(),
                    ended.type(),
                    ended.attempt(),
                    ended.outcome(),
                    Times.length(ended.ran()),
                    ended.errorCode() == null ? "" : " as " + ended.errorCode(),
                    ended.state());
        }
    }
}
