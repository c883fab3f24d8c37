package dev.windrow.e2e;

import java.util.Locale;

/** The views of the side bar: title, and the key that follows g. */
enum View {
    OVERVIEW("Overview", "o"),
    JOBS("Jobs", "j"),
    FAILURES("Failures", "f"),
    WORKFLOWS("Workflows", "w"),
    SCHEDULES("Schedules", "s"),
    QUEUES("Queues & limits", "q"),
    WORKERS("Workers", "k"),
    AUDIT("Audit", "a"),
    SYSTEM("System", "y");

    final String title;
    final String key;

    View(String title, String key) {
        this.title = title;
        this.key = key;
    }

    String address() {
        return "#/" + name().toLowerCase(Locale.ROOT);
    }
}
