package dev.windrow.store.schedule;

/**
 * The result of runs of schedules.
 *
 * @param schedules how many schedules were written; another process has handled or changed the others in between
 * @param jobs how many jobs were made
 */
public record FireResult(int schedules, int jobs) {}
