package dev.windrow.telemetry;

import io.opentelemetry.api.common.AttributeKey;

/**
 * The names of OpenTelemetry's conventions for messaging, and Windrow's own names. The conventions are in development.
 * If they rename an attribute, only this class changes.
 */
final class MessagingKeys {
    static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    /** The queue. */
    static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    /** The name of the operation: {@link #ENQUEUE} or {@link #RUN}. */
    static final AttributeKey<String> OPERATION_NAME = AttributeKey.stringKey("messaging.operation.name");
    /** The type of the operation: {@link #SEND} or {@link #PROCESS}. */
    static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    /** The job's id. */
    static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");

    static final AttributeKey<Long> BATCH_COUNT = AttributeKey.longKey("messaging.batch.message_count");
    /** The worker and its slot. */
    static final AttributeKey<String> CLIENT_ID = AttributeKey.stringKey("messaging.client.id");
    /** The job's error code, or the class of the exception of a failed enqueue. */
    static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    static final AttributeKey<String> JOB_TYPE = AttributeKey.stringKey("windrow.job.type");
    static final AttributeKey<Long> JOB_ATTEMPT = AttributeKey.longKey("windrow.job.attempt");
    static final AttributeKey<String> JOB_OUTCOME = AttributeKey.stringKey("windrow.job.outcome");
    /** The kind of a link: {@code enqueue}, {@code attempt} or {@code parent}. */
    static final AttributeKey<String> LINK_KIND = AttributeKey.stringKey("windrow.link.kind");
    /** The job of a link's attempt. */
    static final AttributeKey<String> LINK_JOB = AttributeKey.stringKey("windrow.link.job");

    /** Before the name of a value of the job's metadata. */
    static final String METADATA = "windrow.metadata.";

    static final String WINDROW = "windrow";
    static final String ENQUEUE = "enqueue";
    static final String RUN = "run";
    static final String SEND = "send";
    static final String PROCESS = "process";
    /** The error of an attempt that lost its job before its handler had ended. */
    static final String TAKEN_AWAY = "TAKEN_AWAY";

    static final String PROCESS_DURATION = "messaging.process.duration";
    static final String OPERATION_DURATION = "messaging.client.operation.duration";
    static final String SENT = "messaging.client.sent.messages";
    static final String CONSUMED = "messaging.client.consumed.messages";

    private MessagingKeys() {}
}
