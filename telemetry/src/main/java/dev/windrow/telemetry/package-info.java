/**
 * The telemetry of jobs: metrics with Micrometer ({@link dev.windrow.telemetry.WindrowMetrics}), traces and metrics
 * with OpenTelemetry ({@link dev.windrow.telemetry.WindrowTracing}). Each needs its own library and not the other one.
 */
@NullMarked
package dev.windrow.telemetry;

import org.jspecify.annotations.NullMarked;
