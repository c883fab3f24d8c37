package dev.windrow.store.schedule;

/**
 * The answer to runs of schedules.
 *
 * @param schedules how many of them were written; the others were seen to by somebody else, or changed, meanwhile
 * @param jobs how many jobs were made
 */
public record FireResult(int schedules, int jobs) {}
