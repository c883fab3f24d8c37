package dev.windrow.cli.demo;

import dev.windrow.cli.terminal.Console;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.SafeStream;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.monitor.WindrowListener;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A bar on stderr that grows with the number of finished files; only on a terminal. */
final class DemoProgress implements WindrowListener, AutoCloseable {
    private static final int WIDTH = 78;

    private final @Nullable ProgressBar bar;

    DemoProgress(Console console) {
        this.bar = console.errIsTerminal()
                ? new ProgressBarBuilder()
                        .setTaskName("Files")
                        .setInitialMax(-1)
                        .setStyle(
                                Ink.isWanted(console)
                                        ? ProgressBarStyle.COLORFUL_UNICODE_BLOCK
                                        : ProgressBarStyle.UNICODE_BLOCK)
                        .setUpdateIntervalMillis(100)
                        .hideEta()
                        .setMaxRenderedLength(WIDTH)
                        .setConsumer(new ConsoleProgressBarConsumer(
                                SafeStream.over(console.err()).under(), WIDTH))
                        .build()
                : null;
    }

    /** Sets the number of files, which is known after the scan. */
    void total(long files) {
        if (bar != null) {
            bar.maxHint(files);
        }
    }

    @Override
    public void on(WindrowEvent event) {
        if (bar != null
                && event instanceof WindrowEvent.AttemptEnded ended
                && ended.state().isFinished()
                && ended.type().equals(DemoTypes.FILE.name())) {
            bar.step();
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
