package dev.windrow.spring.test;

import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.WindrowTest;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the jobs of an application in its tests only when the test says so, with the handlers of the context. Stands beside {@code @SpringBootTest} or
 * another annotation that makes a context.
 *
 * <pre>{@code
 * @SpringBootTest
 * @WindrowSpringTest
 * class CheckoutTest {
 *     @Test
 *     void anOrderIsCharged(@Autowired Checkout checkout, WindrowTest test) {
 *         checkout.buy("Ada");
 *         test.drain();
 *         test.assertThat(test.enqueued(CHARGE).job()).isCompleted();
 *     }
 * }
 * }</pre>
 *
 * <p>The context has no worker. Its clock is a {@link ManualTime}, which is a bean, unless the context has a clock of its own. If neither
 * {@code spring.datasource.url} nor {@code windrow.sqlite.file} is set, the jobs are in a temporary file. A parameter of the type {@link WindrowTest}
 * in a test or a method with {@code @BeforeEach} is that of the test. Contexts are cached by Spring, so tests may share a store: a
 * {@code WindrowTest} sees only the jobs of its test.
 *
 * <p>Needs {@code windrow-testkit} and {@code spring-test}, and nothing of Spring Boot's test support.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(WindrowSpringExtension.class)
public @interface WindrowSpringTest {}
