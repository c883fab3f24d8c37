package dev.windrow;

import java.math.BigDecimal;
import java.time.Duration;

/** The text form of durations, in messages and on the command line: {@code 700ms}, {@code 30s}, {@code 5m}. */
public final class Durations {
    private static final long[] SECONDS = {86_400, 3600, 60, 1};
    private static final String[] UNITS = {"d", "h", "m", "s"};

    private Durations() {}

    /**
     * Returns the exact text of a duration: one whole number in the largest possible unit of {@code d h m s ms}, such as {@code 90s}, {@code 2h},
     * {@code 0s}. A duration that is not a whole number of milliseconds has a fraction: {@code 0.5ms}.
     */
    public static String text(Duration duration) {
        if (duration.getNano() == 0) {
            for (int i = 0; i < SECONDS.length; i++) {
                long seconds = duration.toSeconds();
                if (seconds % SECONDS[i] == 0 && (seconds != 0 || SECONDS[i] == 1)) {
                    return seconds / SECONDS[i] + UNITS[i];
                }
            }
        }
        BigDecimal millis = BigDecimal.valueOf(duration.getSeconds())
                .scaleByPowerOfTen(3)
                .add(BigDecimal.valueOf(duration.getNano(), 6));
        return millis.stripTrailingZeros().toPlainString() + "ms";
    }
}
