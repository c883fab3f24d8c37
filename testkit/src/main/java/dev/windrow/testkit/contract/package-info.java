/**
 * The contract that every store keeps: a suite of tests for each verb, and a driver that calls a store's verbs without an engine. Not
 * exported: the store interface belongs to the project alone.
 */
@org.jspecify.annotations.NullMarked
package dev.windrow.testkit.contract;
