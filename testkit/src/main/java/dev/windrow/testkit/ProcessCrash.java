package dev.windrow.testkit;

/** Leaves a handler whose process is as if it were dead. No handler should catch it. */
final class ProcessCrash extends Error {
    private static final long serialVersionUID = 1L;

    ProcessCrash() {
        super("the test lets the process crash here: do not catch this error");
    }
}
