package dev.windrow.spring.test;

import dev.windrow.TimeSource;
import dev.windrow.testkit.ManualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/** Leaves out the worker, and adds a clock and perhaps a file. All customizers are equal, so that contexts are shared. */
record WindrowContextCustomizer() implements ContextCustomizer {
    private static final String FILE = "windrow.sqlite.file";

    /** A folder that goes with the context. */
    record Folder(Path path) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try (Stream<Path> files = Files.walk(path)) {
                for (Path each :
                        files.sorted((one, other) -> other.compareTo(one)).toList()) {
                    Files.deleteIfExists(each);
                }
            }
        }
    }

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        Map<String, Object> properties = new HashMap<>(Map.of("windrow.worker.enabled", "false"));
        ConfigurableEnvironment environment = context.getEnvironment();
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        if (!environment.containsProperty("spring.datasource.url") && !environment.containsProperty(FILE)) {
            Folder folder = folder();
            properties.put(FILE, folder.path().resolve("jobs.db").toString());
            // Destroyed after the Windrow, which is made later.
            beans.registerSingleton("windrowTestFolder", folder);
            if (beans instanceof DefaultListableBeanFactory registry) {
                registry.registerDisposableBean("windrowTestFolder", folder::close);
            }
        }
        environment.getPropertySources().addFirst(new MapPropertySource("windrowSpringTest", properties));
        if (beans instanceof DefaultListableBeanFactory registry
                && beans.getBeanNamesForType(TimeSource.class, true, false).length == 0) {
            RootBeanDefinition time = new RootBeanDefinition(ManualTime.class, ManualTime::new);
            registry.registerBeanDefinition("windrowTestTime", time);
        }
    }

    private static Folder folder() {
        try {
            return new Folder(Files.createTempDirectory("windrow-test"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
