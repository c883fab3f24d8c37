package dev.windrow.cli;

import dev.windrow.HandlerProvider;
import dev.windrow.Handlers;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Jars with {@link HandlerProvider}s, named by {@code --handlers}; they may use one another's classes. */
final class HandlerJars implements AutoCloseable {
    private final List<String> jars;
    private final URLClassLoader loader;

    private HandlerJars(List<String> jars, URLClassLoader loader) {
        this.jars = jars;
        this.loader = loader;
    }

    static HandlerJars open(List<String> jars) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String jar : jars) {
            Path path = Path.of(jar);
            if (!Files.isReadable(path)) {
                throw new FailedException("--handlers: cannot read %s".formatted(jar));
            }
            urls.add(path.toUri().toURL());
        }
        return new HandlerJars(
                jars, new URLClassLoader("handlers", urls.toArray(URL[]::new), HandlerJars.class.getClassLoader()));
    }

    void register(Handlers handlers) {
        if (jars.isEmpty()) {
            return;
        }
        int found = 0;
        try {
            for (HandlerProvider provider : ServiceLoader.load(HandlerProvider.class, loader)) {
                provider.register(handlers);
                found++;
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new FailedException("--handlers: a provider in %s cannot be used: %s".formatted(names(), e), e);
        }
        if (found == 0) {
            throw new FailedException("--handlers: no provider in %s; META-INF/services/%s in the jar names its class"
                    .formatted(names(), HandlerProvider.class.getName()));
        }
    }

    private String names() {
        return String.join(", ", jars);
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
