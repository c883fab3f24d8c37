package dev.windrow.spring.autoconfigure;

import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** The health indicator of Spring Boot 3. */
final class Boot3HealthIndicator extends AbstractHealthIndicator {
    private final WindrowHealth windrow;

    Boot3HealthIndicator(WindrowHealth windrow) {
        super("the health of Windrow cannot be read");
        this.windrow = windrow;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        WindrowHealth.Result result = windrow.check();
        builder.status(result.isUp() ? "UP" : "DOWN")
                .withDetails(result.details())
                .withDetails(result.problems());
    }
}
