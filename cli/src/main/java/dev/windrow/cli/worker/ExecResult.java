package dev.windrow.cli.worker;

/**
 * The result of an {@code exec} job.
 *
 * @param exitCode the command's exit status: 0
 * @param stdout the first 64 KiB of what it printed, malformed UTF-8 replaced
 * @param stderr the same of its error output
 * @param stdoutDroppedBytes how many more bytes it printed, which are not kept
 * @param stderrDroppedBytes the same of its error output
 */
record ExecResult(int exitCode, String stdout, String stderr, long stdoutDroppedBytes, long stderrDroppedBytes) {}
