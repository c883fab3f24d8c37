package dev.windrow.spring.autoconfigure;

import dev.windrow.Handler;
import dev.windrow.Handlers;
import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.payload.TypeRef;
import dev.windrow.spring.JobHandler;
import dev.windrow.spring.JobSchedule;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** A method of a bean that handles a job type. */
final class HandlerMethod {
    private final String bean;
    private final Method method;
    private final String name;
    private final List<String> aliases;
    private final List<JobSchedule> schedules;
    /** The type of the input; {@link Void} without one. */
    private final Type input;

    private final Type output;

    private HandlerMethod(String bean, Method method, String name, List<String> aliases, List<JobSchedule> schedules) {
        this.bean = bean;
        this.method = method;
        this.name = name;
        this.aliases = aliases;
        this.schedules = schedules;
        this.input =
                inputs(method).isEmpty() ? Void.class : boxed(inputs(method).get(0));
        this.output = boxed(method.getGenericReturnType());
        check();
    }

    /** Returns the handler that a method is; null if it is none. */
    static @Nullable HandlerMethod of(String bean, Method method, ConfigurableListableBeanFactory beans) {
        JobHandler handler = AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class);
        List<JobSchedule> schedules =
                List.copyOf(AnnotatedElementUtils.findMergedRepeatableAnnotations(method, JobSchedule.class));
        if (handler == null && schedules.isEmpty()) {
            return null;
        }
        if (handler == null && schedules.size() > 1) {
            throw new InvalidWindrowPropertyException(
                    "Method %s has %d schedules and no job type".formatted(describe(method), schedules.size()),
                    "Add @JobHandler with the name of the job type.",
                    null);
        }
        String name = handler != null ? handler.value() : schedules.get(0).name();
        List<String> aliases = new ArrayList<>();
        if (handler != null) {
            for (String alias : handler.aliases()) {
                aliases.add(resolve(beans, alias));
            }
        }
        return new HandlerMethod(bean, method, resolve(beans, name), aliases, schedules);
    }

    static String resolve(ConfigurableListableBeanFactory beans, String text) {
        return Objects.requireNonNullElse(beans.resolveEmbeddedValue(text), "");
    }

    private void check() {
        if (inputs(method).size() > 1) {
            throw new InvalidWindrowPropertyException(
                    "Method %s, which handles the job type '%s', has %d parameters for the input"
                            .formatted(describe(method), name, inputs(method).size()),
                    "Give it at most one parameter for the input, and at most one of the type JobContext.",
                    null);
        }
        if (!schedules.isEmpty() && input != Void.class) {
            throw new InvalidWindrowPropertyException(
                    "Method %s has @JobSchedule and an input of %s".formatted(describe(method), input.getTypeName()),
                    "Remove the parameter of the input: a schedule enqueues jobs without one.",
                    null);
        }
    }

    /** Returns the types of the parameters other than the context. */
    static List<Type> inputs(Method method) {
        List<Type> inputs = new ArrayList<>();
        for (Type type : method.getGenericParameterTypes()) {
            if (type != JobContext.class) {
                inputs.add(type);
            }
        }
        return inputs;
    }

    static Type boxed(Type type) {
        return type instanceof Class<?> plain ? ClassUtils.resolvePrimitiveIfNecessary(plain) : type;
    }

    static String describe(Method method) {
        return "%s.%s".formatted(method.getDeclaringClass().getName(), method.getName());
    }

    String bean() {
        return bean;
    }

    String name() {
        return name;
    }

    List<JobSchedule> schedules() {
        return schedules;
    }

    String describe() {
        return describe(method);
    }

    /**
     * Returns the job type of the method.
     *
     * @param declared the bean of this name; null if there is none
     */
    JobType<Object, Object> type(@Nullable JobType<?, ?> declared) {
        if (declared != null
                && (!boxed(declared.input()).equals(input)
                        || !boxed(declared.output()).equals(output))) {
            throw new InvalidWindrowPropertyException(
                    "Method %s handles the job type '%s' from %s to %s, and the bean of this type is from %s to %s"
                            .formatted(
                                    describe(),
                                    name,
                                    input.getTypeName(),
                                    output.getTypeName(),
                                    declared.input().getTypeName(),
                                    declared.output().getTypeName()),
                    "Give the method the input and output of the JobType.",
                    null);
        }
        JobType<?, ?> type = declared != null ? declared : JobType.of(name, TypeRef.of(input), TypeRef.of(output));
        @SuppressWarnings("unchecked") // The codec makes inputs of the type, and takes results of it.
        JobType<Object, Object> unchecked = (JobType<Object, Object>) type.withAliases(aliases.toArray(String[]::new));
        return unchecked;
    }

    /** Registers the method. A bean that is a singleton is made now. */
    void register(Handlers handlers, JobType<Object, Object> type, ConfigurableListableBeanFactory beans) {
        handlers.handle(type, handler(beans));
    }

    private Handler<Object, Object> handler(ConfigurableListableBeanFactory beans) {
        Object target = beans.getBean(bean);
        Method callable = AopUtils.selectInvocableMethod(method, target.getClass());
        ReflectionUtils.makeAccessible(callable);
        boolean one = beans.isSingleton(bean);
        Class<?>[] parameters = callable.getParameterTypes();
        return (payload, job) -> {
            @Nullable Object[] arguments = new Object[parameters.length];
            for (int i = 0; i < parameters.length; i++) {
                arguments[i] = parameters[i] == JobContext.class ? job : payload;
            }
            return call(callable, one ? target : beans.getBean(bean), arguments);
        };
    }

    /** Calls the method. Null is the result of a method that returns none. */
    @SuppressWarnings("NullAway")
    private static Object call(Method method, Object target, @Nullable Object[] arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }
}
