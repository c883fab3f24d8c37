package dev.windrow.dashboard;

import java.util.Locale;

/** The kinds of problems of an answer. The set is closed: a client may decide by it. */
enum ProblemKind {
    INVALID_REQUEST(
            400, "The request is not allowed", "A parameter, a field or a value is unknown, missing or out of range."),
    UNAUTHORIZED(401, "Credentials are missing or wrong", "The request has no credentials, or they are not valid."),
    FORBIDDEN(403, "The permission is missing", "The sender may not do this. `needs` names the missing permission."),
    CROSS_ORIGIN(
            403,
            "The page of another origin may not do this",
            "A browser sent a change from a page of another origin."),
    NOT_FOUND(
            404,
            "Not found",
            "The path, or the job, schedule or workflow, does not exist or is in a queue that the sender does not see."),
    METHOD_NOT_ALLOWED(
            405,
            "The method is not allowed here",
            "The path exists, but not for this method. The header `Allow` names the methods."),
    TRANSITION_REFUSED(
            409,
            "The state does not allow the change",
            "The state of the job does not allow the change. `state` is the state, if the request names one job."),
    DEDUPE_KEY_HELD(
            409,
            "Another job holds the dedupe key",
            "A job cannot be retried while another job holds its dedupe key. `job` is the id of that job."),
    CHANGED_MEANWHILE(
            412,
            "The job has changed",
            "A job has changed since the version in `If-Match` or in `jobs`. Nothing was changed. `version` and `state` are those of the job now. For a request with `jobs`, `jobs` of the answer has id, version and state of each job that has changed."),
    TOO_LARGE(413, "The body is too long", "The body of the request is longer than the server allows."),
    UNSUPPORTED_MEDIA_TYPE(
            415, "The body is not JSON", "The body of a change must have the content type `application/json`."),
    TOO_MANY_REQUESTS(
            429,
            "Too many requests at once",
            "The server works at its limit. The header `Retry-After` says when to try again."),
    INTERNAL(500, "Unexpected error", "An error in the server. `id` is in the log of the server, beside its cause."),
    STORE_UNAVAILABLE(
            503,
            "The store is not available",
            "The store cannot be reached now. Nothing was changed. `id` is in the log of the server."),
    OUTCOME_UNKNOWN(
            503,
            "It is unknown if the change was made",
            "The store failed while it committed the change, or after a part of it. `ids` are the ids of the jobs, if they were written.");

    private final int status;
    private final String title;
    private final String meaning;

    ProblemKind(int status, String title, String meaning) {
        this.status = status;
        this.title = title;
        this.meaning = meaning;
    }

    int status() {
        return status;
    }

    String title() {
        return title;
    }

    /** Returns the meaning, for the documentation. */
    String meaning() {
        return meaning;
    }

    /** Returns the word in answers: {@code not-found}. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
