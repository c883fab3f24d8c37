package dev.windrow.spring.app;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Olga may operate the jobs, Vera may log in. Every visitor may order. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(name = "org.springframework.security.config.annotation.web.builders.HttpSecurity")
class ShopSecurity {
    private static final String[] PUBLIC = {
        "/orders/**", "/many/**", "/unserved", "/counts", "/charges", "/actuator/**", "/error"
    };

    @Bean
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers(PUBLIC)
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .csrf(csrf -> csrf.ignoringRequestMatchers(PUBLIC))
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("olga")
                        .password("{noop}o")
                        .roles("WINDROW_OPERATOR")
                        .build(),
                User.withUsername("vera").password("{noop}v").roles("USER").build());
    }
}
