package dev.windrow.spring.autoconfigure;

import dev.windrow.Durations;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;

/**
 * Starts the worker of the application, and stops it beside the web server's graceful shutdown. Handlers run until no bean of the context has been
 * destroyed: at the latest {@link #destroy} ends them, before the beans whose methods they are.
 */
final class WindrowWorkerLifecycle implements SmartLifecycle, DisposableBean {
    /** The phase of the web server's graceful shutdown, in which requests and jobs end together. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

    /** The time that a worker takes after its drain: 2 s after the interrupt, and the last writes. */
    private static final Duration AFTER_DRAIN = Duration.ofSeconds(3);

    /** Spring's default of the time for a phase of its shutdown. */
    private static final Duration SHUTDOWN_PHASE = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(WindrowWorkerLifecycle.class);

    private final Windrow windrow;
    private final WindrowProperties properties;
    private final ApplicationWorker application;
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;
    private volatile @Nullable Worker worker;

    WindrowWorkerLifecycle(
            Windrow windrow,
            WindrowProperties properties,
            ApplicationWorker application,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        this.windrow = windrow;
        this.properties = properties;
        this.application = application;
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public boolean isRunning() {
        return worker != null;
    }

    /** Returns the worker; null before the start and after the stop, and if there is no handler. */
    @Nullable Worker worker() {
        return worker;
    }

    @Override
    public void start() {
        if (worker != null) {
            return;
        }
        if (application.isEmpty()) {
            log.info(
                    "No worker is started, because the application has no handler of jobs: add @JobHandler to a method");
            return;
        }
        warnOfALongDrain();
        Worker.Builder builder = windrow.worker();
        application.configure(builder);
        String name = environment.getProperty("spring.application.name", "application");
        new DeclaredSchedules(windrow, beans, name, properties.schedules().orphans()).save(application.methods());
        Worker started = builder.start();
        worker = started;
        application.beans().forEach(bean -> beans.registerDependentBean(bean, WindrowWorkerAutoConfiguration.WORKER));
        log.info(
                "Worker {} runs jobs of {} in the queues {} of {}",
                started.name(),
                started.types(),
                started.queues(),
                windrow.location());
    }

    private void warnOfALongDrain() {
        Duration drain = properties.worker().drainTimeout();
        Duration phase = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(SHUTDOWN_PHASE);
        if (drain.plus(AFTER_DRAIN).compareTo(phase) > 0) {
            log.warn(
                    "windrow.worker.drain-timeout is {}, and Spring waits {} for a phase of its shutdown: jobs that run longer are interrupted then and run again. Set spring.lifecycle.timeout-per-shutdown-phase to {} or more, or a shorter drain",
                    Durations.text(drain),
                    Durations.text(phase),
                    Durations.text(drain.plus(AFTER_DRAIN)));
        }
    }

    @Override
    public void stop() {
        stop(properties.worker().drainTimeout());
    }

    /** Drains on a thread of its own, because the web server ends its requests at the same time. */
    @Override
    public void stop(Runnable callback) {
        Thread drain = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "windrow-drain");
        drain.start();
    }

    private void stop(Duration drain) {
        Worker stopping = worker;
        if (stopping != null) {
            stopping.stop(drain);
            worker = null;
        }
    }

    @Override
    public void destroy() {
        stop(Duration.ZERO);
    }
}
