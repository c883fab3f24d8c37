/**
 * What can be seen of jobs from outside: metrics by Micrometer ({@link dev.windrow.telemetry.WindrowMetrics}), traces and metrics by
 * OpenTelemetry ({@link dev.windrow.telemetry.WindrowTracing}). Each needs its library and not the other one.
 */
@NullMarked
package dev.windrow.telemetry;

import org.jspecify.annotations.NullMarked;
