package dev.windrow.engine;

import dev.windrow.Durations;
import dev.windrow.EventLevel;
import dev.windrow.InvalidRequestException;
import dev.windrow.Store;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.monitor.Tracing;
import dev.windrow.monitor.WindrowListener;
import dev.windrow.payload.BlobFiles;
import dev.windrow.payload.Metadata;
import dev.windrow.payload.PayloadCodec;
import dev.windrow.retention.DeadLetterRetry;
import dev.windrow.retention.JobArchive;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Collects the settings of an {@link Engine}. */
final class EngineBuilder implements Windrow.Builder {
    final Store store;
    final List<WindrowListener> listeners = new ArrayList<>();

    @Nullable Tracing tracing;

    @Nullable PayloadCodec codec;

    TimeSource time = TimeSource.system();
    RandomGenerator random = new Random();
    String actor = "api";
    List<String> metadataInLogs = List.of();
    EventLevel events = EventLevel.ALL;
    final List<DeadLetterRetry> deadLetterRetries = new ArrayList<>();
    int inlineBytes = Windrow.DEFAULT_INLINE_BYTES;
    long maxContentBytes = Windrow.DEFAULT_MAX_CONTENT_BYTES;

    @Nullable BlobFiles blobFiles;

    @Nullable Duration retentionEvery = Duration.ofHours(1);

    @Nullable JobArchive archive;

    @Nullable Duration shutdownDrain;

    EngineBuilder(Store store) {
        this.store = store;
    }

    @Override
    public EngineBuilder codec(PayloadCodec codec) {
        this.codec = codec;
        return this;
    }

    @Override
    public EngineBuilder inlineBytes(int bytes) {
        if (bytes < 0 || bytes > 1 << 20) {
            throw new InvalidRequestException("inline bytes %d are not allowed: 0 to %d".formatted(bytes, 1 << 20));
        }
        this.inlineBytes = bytes;
        return this;
    }

    @Override
    public EngineBuilder maxContentBytes(long bytes) {
        if (bytes < 1 << 10 || bytes > 1L << 40) {
            throw new InvalidRequestException(
                    "max content bytes %d are not allowed: %d to %d".formatted(bytes, 1 << 10, 1L << 40));
        }
        this.maxContentBytes = bytes;
        return this;
    }

    @Override
    public EngineBuilder blobFiles(BlobFiles files) {
        this.blobFiles = files;
        return this;
    }

    @Override
    public EngineBuilder time(TimeSource time) {
        this.time = time;
        return this;
    }

    @Override
    public EngineBuilder random(RandomGenerator random) {
        this.random = random;
        return this;
    }

    @Override
    public EngineBuilder listener(WindrowListener listener) {
        listeners.add(listener);
        return this;
    }

    @Override
    public EngineBuilder tracing(Tracing tracing) {
        this.tracing = Objects.requireNonNull(tracing, "tracing");
        return this;
    }

    @Override
    public EngineBuilder metadataInLogs(String... names) {
        for (String name : names) {
            String unused = NameRule.check("metadata name", name);
        }
        Bounds.range("number of metadata names", names.length, 0, Metadata.MAX_NAMES);
        this.metadataInLogs = List.of(names);
        return this;
    }

    @Override
    public EngineBuilder actor(String actor) {
        this.actor = NameRule.check("actor", actor);
        return this;
    }

    @Override
    public EngineBuilder events(EventLevel level) {
        this.events = Objects.requireNonNull(level, "level");
        return this;
    }

    @Override
    public EngineBuilder deadLetterRetry(DeadLetterRetry retry) {
        deadLetterRetries.add(retry);
        return this;
    }

    @Override
    public EngineBuilder retentionEvery(Duration every) {
        if (every.compareTo(Duration.ofSeconds(1)) < 0 || every.compareTo(Duration.ofDays(7)) > 0) {
            throw new InvalidRequestException(
                    "time between passes of retention %s is not allowed: 1s to 7d".formatted(Durations.text(every)));
        }
        this.retentionEvery = every;
        return this;
    }

    @Override
    public EngineBuilder withoutRetention() {
        this.retentionEvery = null;
        return this;
    }

    @Override
    public EngineBuilder archive(JobArchive archive) {
        this.archive = archive;
        return this;
    }

    @Override
    public EngineBuilder closeOnShutdown() {
        return closeOnShutdown(Shutdown.DRAIN);
    }

    @Override
    public EngineBuilder closeOnShutdown(Duration drain) {
        this.shutdownDrain = Shutdown.checked(drain);
        return this;
    }

    @Override
    public Windrow open() {
        Engine windrow = new Engine(this);
        return shutdownDrain == null ? windrow : windrow.closeOnShutdown(shutdownDrain);
    }
}
