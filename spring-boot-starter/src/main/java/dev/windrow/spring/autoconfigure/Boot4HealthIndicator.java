package dev.windrow.spring.autoconfigure;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The health indicator of Spring Boot 4. */
final class Boot4HealthIndicator extends AbstractHealthIndicator {
    private final WindrowHealth windrow;

    Boot4HealthIndicator(WindrowHealth windrow) {
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
