package dev.windrow.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checker of the ledger's order finds forbidden concurrent calls and nothing else. */
class LedgerCheckTest {
    private static List<String> check(String... lines) {
        return LedgerCheck.of(
                Arrays.stream(lines).map(line -> List.of(line.split(" ", -1))).toList());
    }

    @Test
    void calls_in_succession_are_correct() {
        assertThat(check(
                        "start 1 1 a p1 keyed0",
                        "thrown 1 1 a p1 keyed0",
                        "start 1 2 b p2 keyed0",
                        "end 1 2 b p2 keyed0",
                        "start 2 1 a p1 keyed0"))
                .isEmpty();
    }

    @Test
    void a_job_that_runs_twice_at_once_is_found() {
        assertThat(check("start 1 1 a p1 ", "start 1 2 b p2 "))
                .singleElement()
                .satisfies(violation -> assertThat(violation).startsWith("more than 1 at once of job 1: "));
    }

    @Test
    void a_job_that_two_processes_of_one_worker_run_at_once_is_found() {
        assertThat(check("start 1 1 twin p1 ", "start 1 1 twin p2 ")).hasSize(1);
    }

    @Test
    void more_calls_of_a_group_than_its_limit_are_found() {
        assertThat(check("start 1 1 a p1 keyed0", "start 2 1 a p1 keyed0")).hasSize(1);
        assertThat(check("start 1 1 a p1 limited", "start 2 1 a p1 limited")).isEmpty();
        assertThat(check("start 1 1 a p1 limited", "start 2 1 a p1 limited", "start 3 1 b p2 limited"))
                .hasSize(1);
    }

    @Test
    void calls_of_an_ended_process_do_not_count() {
        assertThat(check("start 1 1 a p1 keyed0", "gone p1", "start 1 2 b p2 keyed0", "start 1 1 a p1 keyed0"))
                .isEmpty();
        assertThat(check("gone p1", "back p1", "start 1 1 a p1 ", "start 1 2 b p2 "))
                .hasSize(1);
        assertThat(check("gone p1", "gone p1", "back p1", "start 1 1 a p1 ", "start 1 2 b p2 "))
                .isEmpty();
    }
}
