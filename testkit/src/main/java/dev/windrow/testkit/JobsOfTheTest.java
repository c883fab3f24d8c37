package dev.windrow.testkit;

/** The stories of the jobs of a test that has failed. It has no stack trace, because it is no failure. */
final class JobsOfTheTest extends RuntimeException {
    private static final long serialVersionUID = 1L;

    JobsOfTheTest(String stories) {
        super("\n" + stories, null, false, false);
    }
}
