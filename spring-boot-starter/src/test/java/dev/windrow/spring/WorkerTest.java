package dev.windrow.spring;

import static dev.windrow.spring.Applications.windrow;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.HandlerProvider;
import dev.windrow.JobContext;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Middleware;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.payload.TypeRef;
import dev.windrow.schedule.Schedule;
import dev.windrow.schedule.ScheduleInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

/** The worker of an application: its handlers, schedules, settings and end. */
@ExtendWith(OutputCaptureExtension.class)
class WorkerTest {
    private final Path file = Applications.folder().resolve("jobs.db");

    private ApplicationContextRunner application(Class<?>... beans) {
        ApplicationContextRunner application = Applications.withoutDataSource()
                .withPropertyValues("windrow.sqlite.file=" + file, "spring.application.name=shop");
        for (Class<?> bean : beans) {
            application = application.withBean(bean);
        }
        return application;
    }

    record Picture(String name, int width) {}

    static class Pictures {
        @SuppressWarnings("UnusedMethod")
        @JobHandler(value = "${types.resize:image.resize}", aliases = "resize")
        private Picture resize(JobContext job, Picture picture) {
            return new Picture(picture.name() + " of job " + job.id(), 10);
        }

        @JobHandler("names")
        List<String> names(Map<String, List<Integer>> numbers) {
            return List.copyOf(numbers.keySet());
        }

        @JobHandler("nothing")
        void nothing() {}

        @JobHandler("sum")
        int sum(int number) {
            return number + 1;
        }
    }

    @Test
    void methodsOfAllShapesHandleJobs() {
        application(Pictures.class).run(context -> {
            Windrow windrow = windrow(context);
            JobType<Picture, Picture> resize = JobType.of("image.resize", Picture.class, Picture.class);
            JobType<Picture, Picture> former = JobType.of("resize", Picture.class, Picture.class);
            JobType<Map<String, List<Integer>>, List<String>> names =
                    JobType.of("names", new TypeRef<>() {}, new TypeRef<>() {});
            var one = windrow.enqueue(resize, new Picture("cat", 100));
            assertThat(windrow.await(one, ofSeconds(30))).isEqualTo(new Picture("cat of job " + one.id(), 10));
            assertThat(windrow.await(windrow.enqueue(former, new Picture("dog", 1)), ofSeconds(30))
                            .width())
                    .isEqualTo(10);
            assertThat(windrow.await(windrow.enqueue(names, Map.of("a", List.of(1))), ofSeconds(30)))
                    .containsExactly("a");
            windrow.await(windrow.enqueue(JobType.of("nothing")), ofSeconds(30));
            assertThat(windrow.await(
                            windrow.enqueue(JobType.of("sum", Integer.class, Integer.class), 41), ofSeconds(30)))
                    .isEqualTo(42);
        });
    }

    static class Retrying {
        static final AtomicInteger CALLS = new AtomicInteger();

        @Bean
        JobType<String, String> flaky() {
            return JobType.of("flaky", String.class, String.class).withRetry(RetryPolicy.fixed(Duration.ofMillis(1)));
        }

        @Bean
        Middleware shouting() {
            return (job, next) -> next.call() + "!";
        }

        @Bean
        HandlerProvider provider() {
            return handlers ->
                    handlers.handle(JobType.of("provided", String.class, String.class), (name, job) -> "hello " + name);
        }

        @Bean
        WorkerBuilderCustomizer customizer() {
            return builder ->
                    builder.handle(JobType.of("customized", String.class, String.class), (name, job) -> "bye " + name);
        }

        @JobHandler("flaky")
        String flaky(String name) {
            if (CALLS.incrementAndGet() < 3) {
                throw new IllegalStateException("not yet");
            }
            return name;
        }
    }

    @Test
    void beansOfTypesMiddlewareProvidersAndCustomizersAreTaken() {
        application().withUserConfiguration(Retrying.class).run(context -> {
            Windrow windrow = windrow(context);
            for (String type : List.of("flaky", "provided", "customized")) {
                String result = windrow.await(
                        windrow.enqueue(JobType.of(type, String.class, String.class), "Ada"), ofSeconds(30));
                assertThat(result).endsWith("Ada!");
            }
            assertThat(Retrying.CALLS).hasValue(3);
        });
    }

    static class Scoped {
        @Bean
        @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Counting counting() {
            return new Counting();
        }

        @Bean
        @Lazy
        Pictures pictures() {
            return new Pictures();
        }
    }

    static class Counting {
        private int calls;

        @JobHandler("count")
        public int count() {
            return ++calls;
        }
    }

    @Test
    void lazyAndScopedBeansHandleJobs() {
        application()
                .withUserConfiguration(Scoped.class)
                .withPropertyValues("spring.main.lazy-initialization=true")
                .run(context -> {
                    Windrow windrow = windrow(context);
                    JobType<Void, Integer> count = JobType.of("count", Void.class, Integer.class);
                    assertThat(windrow.await(windrow.enqueue(count), ofSeconds(30)))
                            .isEqualTo(1);
                    assertThat(windrow.await(windrow.enqueue(count), ofSeconds(30)))
                            .isEqualTo(1);
                    windrow.await(windrow.enqueue(JobType.of("nothing")), ofSeconds(30));
                });
    }

    @Test
    void anApplicationWithoutHandlersStartsNoWorker() {
        application().run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(windrow(context).monitor().workers()).isEmpty();
        });
    }

    @Test
    void settingsOfTheWorkerAreThoseOfTheProperties() {
        application(Pictures.class)
                .withPropertyValues(
                        "windrow.worker.name=w1",
                        "windrow.worker.concurrency=3",
                        "windrow.worker.queues=mail:2,default")
                .run(context -> await().atMost(ofSeconds(30))
                        .untilAsserted(() -> assertThat(
                                        windrow(context).monitor().workers())
                                .singleElement()
                                .satisfies(worker -> {
                                    assertThat(worker.name()).isEqualTo("w1");
                                    assertThat(worker.queues()).containsExactlyInAnyOrder("mail", "default");
                                })));
    }

    @Test
    void withoutAWorkerOrWithoutWindrowNothingRuns() {
        application(Pictures.class)
                .withPropertyValues("windrow.worker.enabled=false")
                .run(context -> assertThat(windrow(context).monitor().workers()).isEmpty());
        application(Pictures.class)
                .withPropertyValues("windrow.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Windrow.class));
    }

    static class Reports {
        @JobSchedule(name = "report.often", every = "1s")
        void often() {}

        @JobHandler("report")
        @JobSchedule(name = "report.nightly", cron = "${nightly:0 3 * * *}", zone = "Europe/Berlin", queue = "reports")
        @JobSchedule(name = "report.hourly", every = "PT1H")
        void report() {}
    }

    private ScheduleInfo schedule(Windrow windrow, String name) {
        return windrow.schedules().find(name).orElseThrow();
    }

    @Test
    void schedulesAreSavedAndRun() {
        application(Reports.class).run(context -> {
            Windrow windrow = windrow(context);
            ScheduleInfo nightly = schedule(windrow, "report.nightly");
            assertThat(nightly.type()).isEqualTo("report");
            assertThat(nightly.zone()).isEqualTo("Europe/Berlin");
            assertThat(nightly.queue()).isEqualTo("reports");
            assertThat(schedule(windrow, "report.hourly").every()).isEqualTo(Duration.ofHours(1));
            await().until(() -> schedule(windrow, "report.often").lastJob() != null);
        });
    }

    @Test
    void aDashSwitchesAScheduleOffUntilItHasACronExpressionAgain() {
        application(Reports.class)
                .run(context -> assertThat(
                                schedule(windrow(context), "report.nightly").isPaused())
                        .isFalse());
        application(Reports.class)
                .withPropertyValues("nightly=-")
                .run(context -> assertThat(
                                schedule(windrow(context), "report.nightly").isPaused())
                        .isTrue());
        application(Reports.class)
                .run(context -> assertThat(
                                schedule(windrow(context), "report.nightly").isPaused())
                        .isFalse());
    }

    @Test
    void schedulesThatAreNoLongerDeclaredAreTreatedAsThePropertySays() {
        application(Reports.class).run(context -> windrow(context).schedules().list());
        JobType<Void, Void> other = JobType.of("other");
        application(Pictures.class)
                .withPropertyValues("windrow.schedules.orphans=keep")
                .run(context ->
                        windrow(context).schedules().save(Schedule.every("by-hand", Duration.ofHours(1), other.job())));
        application(Pictures.class)
                .run(context -> assertThat(windrow(context).schedules().list())
                        .hasSize(4)
                        .noneMatch(ScheduleInfo::isPaused));
        application(Pictures.class)
                .withPropertyValues("windrow.schedules.orphans=pause")
                .run(context -> {
                    assertThat(windrow(context).schedules().list())
                            .filteredOn(ScheduleInfo::isPaused)
                            .hasSize(3);
                    assertThat(schedule(windrow(context), "by-hand").isPaused()).isFalse();
                });
        application(Reports.class)
                .run(context -> assertThat(windrow(context).schedules().list()).noneMatch(ScheduleInfo::isPaused));
        application(Pictures.class)
                .withPropertyValues("windrow.schedules.orphans=remove", "spring.application.name=another")
                .run(context -> assertThat(windrow(context).schedules().list()).hasSize(4));
        application(Pictures.class)
                .withPropertyValues("windrow.schedules.orphans=remove")
                .run(context -> assertThat(windrow(context).schedules().list())
                        .singleElement()
                        .extracting(ScheduleInfo::name)
                        .isEqualTo("by-hand"));
    }

    static class Slow implements DisposableBean {
        static final AtomicReference<String> SEEN = new AtomicReference<>();
        private final CountDownLatch begun = new CountDownLatch(1);
        private volatile boolean destroyed;

        @JobHandler("slow")
        void slow() throws InterruptedException {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } finally {
                SEEN.set(destroyed ? "destroyed" : "alive");
            }
        }

        @Override
        public void destroy() {
            destroyed = true;
        }
    }

    @Test
    void aHandlerThatOutlastsTheDrainIsInterruptedBeforeItsBeanIsDestroyedAndRunsAgain() {
        long[] id = new long[1];
        // A lazy bean is younger than the worker. Spring would destroy it first.
        application()
                .withBean(Slow.class, Slow::new, definition -> definition.setLazyInit(true))
                .withPropertyValues(
                        "windrow.worker.drain-timeout=60s", "spring.lifecycle.timeout-per-shutdown-phase=100ms")
                .run(context -> {
                    id[0] = windrow(context).enqueue(JobType.of("slow")).id();
                    context.getBean(Slow.class).begun.await();
                });
        assertThat(Slow.SEEN).hasValue("alive");
        application(Pictures.class).run(context -> {
            var job = windrow(context).job(id[0]).info();
            assertThat(job.state()).isEqualTo(JobState.PENDING);
            assertThat(job.attempt()).isZero();
        });
    }

    @Test
    void aDrainThatIsTooLongForAPhaseOfTheShutdownIsLogged(CapturedOutput output) {
        ApplicationContextRunner application = application(Pictures.class);
        application
                .withPropertyValues("windrow.worker.drain-timeout=27s")
                .run(context -> assertThat(context).hasNotFailed());
        application
                .withPropertyValues(
                        "windrow.worker.drain-timeout=57s", "spring.lifecycle.timeout-per-shutdown-phase=1m")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("drain-timeout is");
        application
                .withPropertyValues("windrow.worker.drain-timeout=28s")
                .run(context -> assertThat(output)
                        .contains(
                                "windrow.worker.drain-timeout is 28s, and Spring waits 30s for a phase",
                                "Set spring.lifecycle.timeout-per-shutdown-phase to 31s or more"));
        application
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=10000")
                .run(context -> assertThat(output)
                        .contains("windrow.worker.drain-timeout is 25s, and Spring waits 10s for a phase"));
    }

    @Test
    void aStoppedAndStartedContextHasAWorkerAgain() {
        application(Pictures.class).run(context -> {
            context.stop();
            assertThat(windrow(context).monitor().workers()).isEmpty();
            context.start();
            windrow(context).await(windrow(context).enqueue(JobType.of("nothing")), ofSeconds(30));
        });
    }
}
