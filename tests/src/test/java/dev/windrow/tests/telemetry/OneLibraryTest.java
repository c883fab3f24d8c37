package dev.windrow.tests.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Windrow;
import dev.windrow.monitor.Tracing;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.Once;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application with one of the two telemetry libraries can use the part for that library. */
@Once
class OneLibraryTest {
    private static final String METRICS = "dev.windrow.telemetry.WindrowMetrics";
    private static final String TRACING = "dev.windrow.telemetry.WindrowTracing";

    @TempDir
    Path folder;

    /** A class loader that loads the classes of telemetry again and does not find one library. */
    private static final class Without extends ClassLoader {
        private final String library;

        Without(String library) {
            super(OneLibraryTest.class.getClassLoader());
            this.library = library;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(library)) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("dev.windrow.telemetry.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    void metricsWorkWithoutOpenTelemetry() throws Exception {
        Class<?> type = new Without("io.opentelemetry.").loadClass(METRICS);
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("jobs.db")))) {
            MeterRegistry registry = new SimpleMeterRegistry();
            ((MeterBinder) type.getConstructor(Windrow.class).newInstance(windrow)).bindTo(registry);
            assertThat(registry.get("windrow.workers").gauge().value()).isZero();
        }
        assertThatThrownBy(() -> new Without("io.micrometer.").loadClass(METRICS))
                .isInstanceOf(LinkageError.class);
    }

    @Test
    void tracesWorkWithoutMicrometer() throws Exception {
        Class<?> type = new Without("io.micrometer.").loadClass(TRACING);
        Tracing tracing = (Tracing) type.getMethod("of", OpenTelemetry.class).invoke(null, OpenTelemetry.noop());
        try (Windrow windrow = Windrow.configure(SqliteStore.at(folder.resolve("jobs.db")))
                .tracing(tracing)
                .open()) {
            assertThat(windrow.monitor().workers()).isEmpty();
        }
    }
}
