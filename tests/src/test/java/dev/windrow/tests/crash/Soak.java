package dev.windrow.tests.crash;

/** The amount of work of a test: a little in every build, much more in the long form, {@code -Psoak}. */
public final class Soak {
    private Soak() {}

    public static boolean isOn() {
        return Boolean.getBoolean("windrow.soak");
    }

    /** Returns the value of a property. The default is the usual number, or the soaking number in the long form. */
    public static int number(String property, int usual, int soaking) {
        return Integer.getInteger(property, isOn() ? soaking : usual);
    }

    public static long seed(String property) {
        return Long.getLong(property, System.nanoTime());
    }
}
