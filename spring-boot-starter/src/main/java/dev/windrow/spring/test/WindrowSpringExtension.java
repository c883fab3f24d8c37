package dev.windrow.spring.test;

import dev.windrow.Windrow;
import dev.windrow.spring.WorkerBuilderConfigurer;
import dev.windrow.testkit.WindrowTest;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Objects;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Gives each test a {@link WindrowTest} over the context of Spring. */
final class WindrowSpringExtension
        implements BeforeEachCallback, AfterEachCallback, ParameterResolver, TestExecutionExceptionHandler {
    private static final Namespace NAMESPACE = Namespace.create(WindrowSpringExtension.class);

    @Override
    public void beforeEach(ExtensionContext context) throws IOException, SQLException {
        ApplicationContext application = SpringExtension.getApplicationContext(context);
        WindrowTest test = WindrowTest.over(() -> application.getBean(Windrow.class))
                .worker(builder ->
                        application.getBean(WorkerBuilderConfigurer.class).configure(builder));
        test.beforeEach(context);
        context.getStore(NAMESPACE).put(WindrowTest.class, test);
    }

    private static WindrowTest test(ExtensionContext context) {
        WindrowTest test = context.getStore(NAMESPACE).get(WindrowTest.class, WindrowTest.class);
        return Objects.requireNonNull(test, "a WindrowTest is used inside of a test or its @BeforeEach");
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException, SQLException {
        WindrowTest test = context.getStore(NAMESPACE).remove(WindrowTest.class, WindrowTest.class);
        if (test != null) {
            test.afterEach(context);
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        test(context).handleTestExecutionException(context, failure);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == WindrowTest.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return test(context);
    }
}
