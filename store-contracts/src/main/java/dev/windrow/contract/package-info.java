/**
 * The contract of every store: a suite of tests for each command, and a driver that calls a store's methods without an engine. Not exported, because
 * the store interface is internal to the project.
 */
@org.jspecify.annotations.NullMarked
package dev.windrow.contract;
