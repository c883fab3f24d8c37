package dev.windrow.spring.app;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One combination of versions and libraries.
 *
 * @param boot the version of Spring Boot, as in the name of its folder
 * @param java the folder of the JDK
 * @param store the database
 * @param libraries the libraries that the application has
 */
record Cell(String boot, Path java, StoreKind store, Set<Library> libraries) {
    enum StoreKind {
        SQLITE,
        POSTGRES
    }

    /** A library that an application may have, and the names of its jars. */
    enum Library {
        SECURITY("spring-security-.*|spring-boot-security-.*"),
        ACTUATOR("spring-boot-actuator-.*|spring-boot-health-.*|spring-boot-micrometer-.*"),
        MICROMETER(
                "micrometer-(core|registry|tracing|jakarta9).*|spring-boot-micrometer-.*|opentelemetry-.*|spring-boot-opentelemetry-.*"),
        JPA(
                "hibernate-.*|jakarta.persistence-.*|spring-data-jpa.*|spring-orm-.*|spring-boot-(hibernate|jpa|data-jpa|persistence)-.*"),
        FLYWAY("flyway-.*|spring-boot-flyway-.*"),
        LIQUIBASE("liquibase-.*|spring-boot-liquibase-.*"),
        DEVTOOLS("spring-boot-devtools-.*");

        private final String jars;

        Library(String jars) {
            this.jars = jars;
        }

        boolean owns(String jar) {
            return jar.matches(jars);
        }
    }

    /** Returns the usual libraries: all but devtools, and Liquibase, because Flyway creates the tables. */
    static Set<Library> all() {
        return EnumSet.complementOf(EnumSet.of(Library.DEVTOOLS, Library.LIQUIBASE));
    }

    static Set<Library> with(Library more) {
        Set<Library> libraries = all();
        libraries.add(more);
        return libraries;
    }

    /** Returns the usual libraries with Liquibase, which creates the tables in place of Flyway. */
    static Set<Library> liquibase() {
        Set<Library> libraries = with(Library.LIQUIBASE);
        libraries.remove(Library.FLYWAY);
        return libraries;
    }

    static Set<Library> without(Library... missing) {
        Set<Library> libraries = all();
        for (Library library : missing) {
            libraries.remove(library);
        }
        return libraries;
    }

    boolean has(Library library) {
        return libraries.contains(library);
    }

    @Override
    public String toString() {
        return "Boot %s, %s, %s, %s"
                .formatted(
                        boot,
                        java.getFileName(),
                        store,
                        libraries.stream().map(Library::name).sorted().collect(Collectors.joining("+")));
    }
}
