package dev.windrow.tests.crash;

/** How much a test does: a little in every build, much more in the long form, {@code -Psoak}. */
public final class Soak {
    private Soak() {}

    public static boolean isOn() {
        return Boolean.getBoolean("windrow.soak");
    }

    /** A property, or what is usual. */
    public static int number(String property, int usual, int soaking) {
        return Integer.getInteger(property, isOn() ? soaking : usual);
    }

    public static long seed(String property) {
        return Long.getLong(property, System.nanoTime());
    }
}
