package dev.windrow.tests.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.dashboard.DashboardOptions;
import dev.windrow.dashboard.Permission;
import dev.windrow.dashboard.Role;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.schedule.Schedule;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Every route with every role, by the description of the API itself: 401, 403, or past the check. */
class PermissionsTest extends HttpTest {
    private record Operation(String method, String path, String permission) {}

    private List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        JsonNode paths = get("viewer", "openapi.json").is(200).json().get("paths");
        paths.properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(operation -> operations.add(new Operation(
                                operation.getKey().toUpperCase(Locale.ROOT),
                                path.getKey()
                                        .substring(1)
                                        .replace("{id}", "4711")
                                        .replace("{n}", "1")
                                        .replace("{name}", "nosuch")
                                        .replace("{kind}", "queues")
                                        .replace("{state}", "FAILED"),
                                operation.getValue().get("x-permission").isNull()
                                        ? ""
                                        : operation
                                                .getValue()
                                                .get("x-permission")
                                                .asString()))));
        return operations;
    }

    private Reply send(Operation operation, String role) {
        HttpRequest.Builder request = role.isEmpty() ? request("api/v1/" + operation.path) : as(role, operation.path);
        return send(request.method(operation.method, HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void eachRouteIsForTheRolesWithItsPermissionOnly() {
        List<Operation> operations = operations();
        assertThat(operations).hasSizeGreaterThan(15);
        for (Operation operation : operations) {
            Reply unknown = send(operation, "").isProblem(401, "unauthorized");
            assertThat(unknown.header("WWW-Authenticate")).isEqualTo("Bearer");
            for (Role role : Role.values()) {
                boolean allowed = operation.permission.isEmpty()
                        || role.permissions()
                                .contains(Permission.valueOf(operation.permission.toUpperCase(Locale.ROOT)));
                Reply reply = send(operation, role.name().toLowerCase(Locale.ROOT));
                if (allowed) {
                    assertThat(reply.status())
                            .as("%s as %s: %s", operation, role, reply.text())
                            .isNotIn(401, 403, 405, 500, 503);
                } else {
                    assertThat(reply.isProblem(403, "forbidden")
                                    .json()
                                    .get("needs")
                                    .asString())
                            .as("%s as %s", operation, role)
                            .isEqualTo(operation.permission);
                }
            }
        }
    }

    @Test
    void aReadOnlyServerRefusesEachChange() throws Exception {
        serve(DashboardOptions.DEFAULTS.withReadOnly(), HttpTest::access);
        Set<String> reading = Set.of("", "view", "diagnose");
        for (Operation operation : operations()) {
            Reply reply = send(operation, "admin");
            if (reading.contains(operation.permission)) {
                assertThat(reply.status()).as("%s", operation).isNotIn(403, 500);
            } else {
                reply.isProblem(403, "forbidden", "read-only");
            }
        }
        post("admin", "jobs", "{\"type\":\"a\"}").isProblem(403, "forbidden", "read-only");
        get("admin", "jobs?reveal=true").isProblem(403, "forbidden", "cannot record who reads confidential values");
        assertThat(windrow.monitor().audit(AuditFilter.ALL).page().entries()).isEmpty();
        assertThat(get("admin", "").json().get("permissions").valueStream().map(JsonNode::asString))
                .containsExactly("view", "diagnose");
    }

    @Test
    void confidentialPartsOfTheAuditNeedTheirOwnPermission() {
        var job = enqueue("a");
        windrow.job(job).mergeMetadata(Metadata.parse("{\"token\":\"geheim\"}"));
        assertThat(get("viewer", "audit").is(200).text()).contains("[redacted]").doesNotContain("geheim");
        get("viewer", "audit?reveal=true").isProblem(403, "forbidden", "reveal");
        assertThat(get("operator", "audit?reveal=true").is(200).text()).contains("geheim");
    }

    @Test
    void anUnknownSenderLearnsNothing() {
        for (String path : List.of("", "jobs", "nosuch", "jobs/1", "openapi.json")) {
            send(request("api/v1/" + path).GET()).isProblem(401, "unauthorized");
        }
        assertThat(send(request("health/live").GET()).is(200).text()).isEqualTo("live\n");
        assertThat(send(request("health/ready").GET()).is(200).text()).isEqualTo("ready\n");
        send(request("health").GET()).isProblem(404, "not-found");
        send(request("health/ready/x").GET()).isProblem(404, "not-found");
        send(request("health/live").POST(HttpRequest.BodyPublishers.noBody())).isProblem(405, "method-not-allowed");
    }

    @Test
    void jobsThatRunProcessesAreNotEnqueuedUnlessAllowed() throws Exception {
        String body = "{\"type\":\"exec\",\"payload\":{\"command\":[\"true\"]}}";
        post("admin", "jobs", body).isProblem(403, "forbidden", "exec");
        post("admin", "jobs", "{\"jobs\":[%s]}".formatted(body)).isProblem(403, "forbidden", "exec");
        post("admin", "workflows", "{\"jobs\":[%s]}".formatted(body)).isProblem(403, "forbidden", "exec");
        put("admin", "schedules/s", "{\"type\":\"exec\",\"every\":\"1h\"}").isProblem(403, "forbidden", "exec");
        serve(DashboardOptions.DEFAULTS.withExec(), HttpTest::access);
        post("producer", "jobs", body).is(201);
    }

    /** Their command comes from a program that may write to the database. No request changes it. */
    @Test
    void existingJobsThatRunProcessesCanBeRetriedAndTriggered() {
        Json command = new Json("{\"command\":[\"true\"]}");
        JobRequest<Json, Json> exec = JobType.raw("exec").job(command).withDelay(Duration.ofDays(1));
        JobRef<Json> job = windrow.enqueue(exec.withDedupeKey("k"));
        post("operator", "jobs/" + job + "/trigger", "{}").is(200);
        windrow.job(job).cancel();
        post("operator", "jobs/" + job + "/retry", "{}").is(200);
        windrow.job(job).cancel();
        post("operator", "jobs/change", "{\"action\":\"retry\",\"filter\":{\"type\":\"exec\"}}")
                .is(200);
        assertThat(windrow.job(job).info().state()).isEqualTo(JobState.PENDING);
        // A request with the key of the job would replace its command.
        post(
                        "admin",
                        "jobs",
                        "{\"type\":\"exec\",\"payload\":{\"command\":[\"x\"]},\"dedupeKey\":\"k\",\"dedupeStrategy\":\"replace\"}")
                .isProblem(403, "forbidden", "exec");
        assertThat(windrow.job(job).history().payload()).isEqualTo(command);
        windrow.schedules()
                .save(Schedule.every(
                        "s", Duration.ofHours(1), JobType.raw("exec").job(command)));
        windrow.schedules().pause("s");
        post("operator", "schedules/s/resume", "{}").is(200);
        post("admin", "schedules/s/run", "{}").isProblem(403, "forbidden", "exec");
    }
}
