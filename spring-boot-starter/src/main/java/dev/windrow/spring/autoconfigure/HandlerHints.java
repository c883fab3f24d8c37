package dev.windrow.spring.autoconfigure;

import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/** Says ahead of time that handler methods are called, and that their inputs and results are read and written as JSON. */
final class HandlerHints implements BeanRegistrationAotProcessor {
    private final BindingReflectionHintsRegistrar payloads = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        List<Method> methods = HandlerMethods.methods(ClassUtils.getUserClass(bean.getBeanClass()));
        if (methods.isEmpty()) {
            return null;
        }
        return (context, code) -> {
            ReflectionHints hints = context.getRuntimeHints().reflection();
            for (Method method : methods) {
                hints.registerMethod(method, ExecutableMode.INVOKE);
                HandlerMethod.inputs(method).forEach(input -> payloads.registerReflectionHints(hints, input));
                payloads.registerReflectionHints(hints, method.getGenericReturnType());
            }
        };
    }
}
