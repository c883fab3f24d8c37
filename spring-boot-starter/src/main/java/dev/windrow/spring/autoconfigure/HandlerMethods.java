package dev.windrow.spring.autoconfigure;

import dev.windrow.JobType;
import dev.windrow.spring.JobHandler;
import dev.windrow.spring.JobSchedule;
import dev.windrow.spring.JobSchedules;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** The handler methods of a context. They are found by the classes of the beans, so that no bean is made for that. */
final class HandlerMethods {
    private final ConfigurableListableBeanFactory beans;

    HandlerMethods(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Returns the methods with the job types that they handle, in the order of their names. */
    Map<HandlerMethod, JobType<Object, Object>> types() {
        Map<String, JobType<?, ?>> declared = new LinkedHashMap<>();
        beans.getBeansOfType(JobType.class).values().forEach(type -> declared.put(type.name(), type));
        Map<HandlerMethod, JobType<Object, Object>> types = new LinkedHashMap<>();
        Map<String, HandlerMethod> names = new LinkedHashMap<>();
        for (HandlerMethod method : find()) {
            HandlerMethod other = names.put(method.name(), method);
            if (other != null) {
                throw new InvalidWindrowPropertyException(
                        "Methods %s and %s handle the same job type '%s'"
                                .formatted(other.describe(), method.describe(), method.name()),
                        "Keep one handler, or give the other one another job type.",
                        null);
            }
            InvalidWindrowPropertyException.apply(
                    "@JobHandler of " + method.describe(),
                    method.name(),
                    () -> types.put(method, method.type(declared.get(method.name()))));
        }
        return types;
    }

    private List<HandlerMethod> find() {
        List<HandlerMethod> found = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            if (ScopedProxyUtils.isScopedTarget(name)) {
                continue;
            }
            Class<?> type = type(name);
            if (type != null) {
                methods(type).forEach(method -> {
                    HandlerMethod handler = HandlerMethod.of(name, method, beans);
                    if (handler != null) {
                        found.add(handler);
                    }
                });
            }
        }
        found.sort(Comparator.comparing(HandlerMethod::name));
        return found;
    }

    private @Nullable Class<?> type(String name) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        return type == null ? null : ClassUtils.getUserClass(type);
    }

    /** Returns the methods of a class that may have one of the annotations. */
    static List<Method> methods(Class<?> type) {
        if (type.getName().startsWith("org.springframework.")
                || !AnnotationUtils.isCandidateClass(type, List.of(JobHandler.class, JobSchedule.class))) {
            return List.of();
        }
        return List.copyOf(MethodIntrospector.selectMethods(type, (Method method) -> isHandler(method)));
    }

    private static boolean isHandler(Method method) {
        return AnnotationUtils.findAnnotation(method, JobHandler.class) != null
                || AnnotationUtils.findAnnotation(method, JobSchedule.class) != null
                || AnnotationUtils.findAnnotation(method, JobSchedules.class) != null;
    }
}
