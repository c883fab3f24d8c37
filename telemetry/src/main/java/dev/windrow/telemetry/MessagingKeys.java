package dev.windrow.telemetry;

import io.opentelemetry.api.common.AttributeKey;

/**
 * The names that OpenTelemetry's conventions for messaging have, and ours beside them. The conventions are in development: what they rename
 * is renamed here, and nowhere else.
 */
final class MessagingKeys {
    static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    /** The queue. */
    static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    /** {@link #ENQUEUE} or {@link #RUN}. */
    static final AttributeKey<String> OPERATION_NAME = AttributeKey.stringKey("messaging.operation.name");
    /** {@link #SEND} or {@link #PROCESS}. */
    static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    /** The job's id. */
    static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");

    static final AttributeKey<Long> BATCH_COUNT = AttributeKey.longKey("messaging.batch.message_count");
    /** The worker and its slot. */
    static final AttributeKey<String> CLIENT_ID = AttributeKey.stringKey("messaging.client.id");
    /** The job's error code, or the class of what kept an enqueue from being written. */
    static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    static final AttributeKey<String> JOB_TYPE = AttributeKey.stringKey("windrow.job.type");
    static final AttributeKey<Long> JOB_ATTEMPT = AttributeKey.longKey("windrow.job.attempt");
    static final AttributeKey<String> JOB_OUTCOME = AttributeKey.stringKey("windrow.job.outcome");
    /** Of a link: {@code enqueue}, {@code attempt} or {@code parent}. */
    static final AttributeKey<String> LINK_KIND = AttributeKey.stringKey("windrow.link.kind");
    /** Of a link: the job whose attempt it is. */
    static final AttributeKey<String> LINK_JOB = AttributeKey.stringKey("windrow.link.job");

    static final String WINDROW = "windrow";
    static final String ENQUEUE = "enqueue";
    static final String RUN = "run";
    static final String SEND = "send";
    static final String PROCESS = "process";
    /** The error of an attempt whose job was taken away before its handler had ended. */
    static final String TAKEN_AWAY = "TAKEN_AWAY";

    static final String PROCESS_DURATION = "messaging.process.duration";
    static final String OPERATION_DURATION = "messaging.client.operation.duration";
    static final String SENT = "messaging.client.sent.messages";
    static final String CONSUMED = "messaging.client.consumed.messages";

    private MessagingKeys() {}
}
