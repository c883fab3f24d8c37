package dev.windrow.cli.worker;

import dev.windrow.HandlerProvider;
import dev.windrow.Handlers;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The jars of {@code --handlers} with their {@link HandlerProvider}s. They may use one another's classes. */
final class HandlerJars implements AutoCloseable {
    private final List<String> jars;
    private final URLClassLoader loader;
    private final List<HandlerProvider> providers = new ArrayList<>();

    private HandlerJars(List<String> jars, URLClassLoader loader) {
        this.jars = jars;
        this.loader = loader;
    }

    /** Opens the jars and creates their providers, so that problems with them are found before a store is opened. */
    static HandlerJars open(Path folder, List<String> jars) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String jar : jars) {
            urls.add(file(folder, jar).toUri().toURL());
        }
        HandlerJars opened = new HandlerJars(
                jars, new URLClassLoader("handlers", urls.toArray(URL[]::new), HandlerJars.class.getClassLoader()));
        try {
            opened.load();
            return opened;
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private static Path file(Path folder, String jar) {
        Path path;
        try {
            path = folder.resolve(Values.path("--handlers", jar, "the path of a jar"));
        } catch (InvalidPathException e) {
            throw new FailedException(
                    "--handlers: '%s' is not a valid path: %s".formatted(TerminalText.oneLine(jar), e.getReason()));
        }
        if (!Files.isReadable(path)) {
            throw new FailedException("--handlers: cannot read '%s': it does not exist, or permission denied"
                    .formatted(TerminalText.oneLine(jar)));
        }
        return path;
    }

    private void load() {
        if (jars.isEmpty()) {
            return;
        }
        try {
            ServiceLoader.load(HandlerProvider.class, loader).forEach(providers::add);
        } catch (ServiceConfigurationError | LinkageError e) {
            throw unusable(e);
        }
        if (providers.isEmpty()) {
            throw new FailedException("--handlers: no provider in %s; name its class in META-INF/services/%s of the jar"
                    .formatted(names(), HandlerProvider.class.getName()));
        }
    }

    void register(Handlers handlers) {
        try {
            providers.forEach(provider -> provider.register(handlers));
        } catch (ServiceConfigurationError | LinkageError e) {
            throw unusable(e);
        }
    }

    private FailedException unusable(Error e) {
        return new FailedException("--handlers: a provider in %s cannot be used: %s".formatted(names(), e), e);
    }

    private String names() {
        return String.join(", ", jars);
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
