package dev.windrow.cli.worker;

/**
 * The result of an {@code exec} job.
 *
 * @param exitCode the command's exit status: 0
 * @param stdout the first 64 KiB of its output, with malformed UTF-8 replaced
 * @param stderr the first 64 KiB of its error output, with malformed UTF-8 replaced
 * @param stdoutDroppedBytes the number of further bytes of its output, which are not stored
 * @param stderrDroppedBytes the number of further bytes of its error output, which are not stored
 */
record ExecResult(int exitCode, String stdout, String stderr, long stdoutDroppedBytes, long stderrDroppedBytes) {}
