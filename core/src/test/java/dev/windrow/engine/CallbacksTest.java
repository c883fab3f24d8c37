package dev.windrow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallbacksTest {
    @Test
    void aCallbackInheritsOnlyTheClassLoaderOfTheFirstCallersThread() throws Exception {
        InheritableThreadLocal<String> carried = new InheritableThreadLocal<>();
        CompletableFuture<String> seen = new CompletableFuture<>();
        CompletableFuture<ClassLoader> loader = new CompletableFuture<>();
        Callbacks callbacks = new Callbacks();
        try (URLClassLoader own = new URLClassLoader(new URL[0])) {
            Thread handler = new Thread(() -> {
                Thread.currentThread().setContextClassLoader(own);
                carried.set("by a handler");
                callbacks.run(() -> {
                    seen.complete(String.valueOf(carried.get()));
                    loader.complete(Thread.currentThread().getContextClassLoader());
                });
            });
            handler.start();
            assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo("null");
            assertThat(loader.get(30, TimeUnit.SECONDS)).isSameAs(own);
        } finally {
            callbacks.close();
        }
    }
}
