package dev.windrow.tests;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.windrow.Windrow;
import dev.windrow.engine.Engine;
import dev.windrow.engine.worker.ManualWorker;
import dev.windrow.store.SafeLogger;
import dev.windrow.testkit.ManualTime;
import dev.windrow.transfer.QueueCopy;
import java.time.Clock;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests the arrows between the layers, and the rules that keep the layers testable. */
@Once
class ArchitectureTest {
    private static final String[] API = {
        "dev.windrow", "dev.windrow.[schedule|workflow|step|limit|retention|query|monitor|transfer|payload|validation]"
    };
    private static final String STORE = "dev.windrow.store..";
    private static final String SHARED = "dev.windrow.store.sql..";
    private static final String ENGINE = "dev.windrow.engine..";
    private static final String SQLITE = "dev.windrow.sqlite..";
    private static final String POSTGRES = "dev.windrow.postgres..";
    private static final String JSON = "dev.windrow.json";
    private static final String WIRE = "dev.windrow.wire";
    private static final String DASHBOARD = "dev.windrow.dashboard";
    private static final String TELEMETRY = "dev.windrow.telemetry";
    private static final String TESTKIT = "dev.windrow.testkit";
    private static final String CONTRACT = "dev.windrow.contract..";

    /** The packages that other modules see. Applications see a part of them. */
    private static final String[] EXPORTED = {
        API[0], API[1], STORE, "dev.windrow.sqlite", "dev.windrow.postgres", JSON, WIRE, TELEMETRY, TESTKIT, CONTRACT
    };

    private static final Pattern PROGRAMS = Pattern.compile(".*/dev/windrow/(examples|cli|bench)/.*");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            // Programs for users, who read the output.
            .withImportOption(location -> !location.matches(PROGRAMS))
            .importPackages("dev.windrow");
    private static final JavaClasses PROGRAM_CLASSES =
            new ClassFileImporter().importPackages("dev.windrow.cli", "dev.windrow.examples");

    @Test
    void theApiDependsOnlyOnItsEntryToTheEngine() {
        check(noClasses()
                .that()
                .resideInAnyPackage(API)
                .and()
                .doNotBelongToAnyOf(Windrow.class, QueueCopy.class)
                .should()
                .dependOnClassesThat(resideInAPackage("dev.windrow..").and(not(resideInAnyPackage(API)))));
        check(noClasses()
                .that()
                .belongToAnyOf(Windrow.class, QueueCopy.class)
                .should()
                .dependOnClassesThat(resideInAPackage("dev.windrow..")
                        .and(not(resideInAnyPackage(API)))
                        .and(not(belongToAnyOf(Engine.class)))));
    }

    @Test
    void theStoreInterfaceDependsOnlyOnTheApi() {
        check(noClasses()
                .that(resideInAPackage(STORE).and(not(resideInAPackage(SHARED))))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.windrow..")
                        .and(not(resideInAnyPackage(API)))
                        .and(not(resideInAPackage(STORE)).or(resideInAPackage(SHARED)))));
    }

    @Test
    void sharedStoreRulesDependOnlyOnTheApiAndTheStoreInterface() {
        check(packageSeesOnly(SHARED, STORE));
    }

    @Test
    void theEngineDependsOnlyOnTheApiAndTheStoreInterface() {
        check(packageSeesOnly(ENGINE, STORE, ENGINE));
        check(noClasses().that().resideInAPackage(ENGINE).should().dependOnClassesThat(resideInAPackage(SHARED)));
    }

    @Test
    void theSqliteStoreDependsNeitherOnTheEngineNorOnTheOtherStore() {
        check(packageSeesOnly(SQLITE, STORE, SQLITE));
    }

    @Test
    void thePostgresStoreDependsNeitherOnTheEngineNorOnTheOtherStore() {
        check(packageSeesOnly(POSTGRES, STORE, POSTGRES));
    }

    @Test
    void theJsonCodecDependsOnlyOnTheApi() {
        check(packageSeesOnly(JSON, JSON));
    }

    @Test
    void theJsonFormsDependOnlyOnTheApi() {
        check(packageSeesOnly(WIRE, WIRE));
    }

    @Test
    void theHttpApiDependsOnlyOnTheApiAndTheJsonForms() {
        check(packageSeesOnly(DASHBOARD, DASHBOARD, WIRE));
    }

    @Test
    void theTelemetryDependsOnlyOnTheApi() {
        check(packageSeesOnly(TELEMETRY, TELEMETRY));
    }

    /** The API is enough for the command line: no surface needs more. */
    @Test
    void theCommandLineAndTheExamplesDependOnlyOnTheApi() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.windrow.cli..", "dev.windrow.examples..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(STORE, ENGINE, "dev.windrow.sqlite.*..", "dev.windrow.postgres.*..")
                .check(PROGRAM_CLASSES);
    }

    @Test
    void theTestKitSeesOneClassOfTheEngine() {
        check(noClasses()
                .that()
                .resideInAPackage(TESTKIT)
                .should()
                .dependOnClassesThat(resideInAPackage(ENGINE).and(not(belongToAnyOf(ManualWorker.class)))));
        check(noClasses()
                .that()
                .resideOutsideOfPackages(TESTKIT, ENGINE)
                .should()
                .dependOnClassesThat(belongToAnyOf(ManualWorker.class)));
    }

    @Test
    void theContractsOfStoresDependOnlyOnTheApiAndTheStoreInterfaceAndTheClock() {
        check(packageSeesOnly(CONTRACT, STORE, CONTRACT, TESTKIT));
        check(noClasses().that().resideInAPackage(CONTRACT).should().dependOnClassesThat(resideInAPackage(SHARED)));
        check(noClasses()
                .that()
                .resideInAPackage(CONTRACT)
                .should()
                .dependOnClassesThat(resideInAPackage(TESTKIT).and(not(belongToAnyOf(ManualTime.class)))));
        check(noClasses()
                .that()
                .resideOutsideOfPackage(CONTRACT)
                .should()
                .dependOnClassesThat(resideInAPackage(CONTRACT)));
    }

    @Test
    void eachThirdPartyLibraryStaysInItsModule() {
        check(onlyIn(SQLITE, "org.sqlite.."));
        // The test server also gives out connections.
        check(onlyIn("dev.windrow.[postgres|testserver]..", "com.zaxxer.."));
        check(onlyIn("dev.windrow.[json|wire|dashboard]", "tools.jackson.."));
        check(onlyIn(DASHBOARD, "jakarta.servlet.."));
        check(onlyIn(JSON, "tools.jackson.databind.."));
        check(onlyIn(TELEMETRY, "io.micrometer..", "io.opentelemetry.."));
        check(onlyIn("dev.windrow.[testkit|contract]..", "org.junit..", "org.assertj..", "org.opentest4j.."));
    }

    @Test
    void publicSignaturesNameOnlyPublicTypes() {
        check(classes()
                .that()
                .arePublic()
                .and()
                .resideInAnyPackage(EXPORTED)
                .should(nameOnlyPublicTypes())
                .because("a caller could neither declare nor mock what it is handed"));
    }

    @Test
    void topLevelTypesDoNotReuseCommonTypeNames() {
        Set<String> taken = Set.of("Job", "Event", "Process", "Record", "Module");
        check(classes()
                .that()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .should(new ArchCondition<JavaClass>("not be named like one of " + taken) {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        if (taken.contains(type.getSimpleName())) {
                            events.add(SimpleConditionEvent.violated(type, type.getName() + " takes a common name"));
                        }
                    }
                }));
    }

    @Test
    void timeAndWaitingAreInjected() {
        check(noClasses()
                .that(not(timeSource()))
                .should()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Clock.class, "systemUTC")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .because("a test must be able to drive them by hand"));
    }

    @Test
    void libraryCodeIsSilentOnTheStandardStreams() {
        check(noClasses()
                .that()
                .doNotBelongToAnyOf(SafeLogger.class) // the last resort, for the case that logging fails
                .should(ACCESS_STANDARD_STREAMS));
        check(NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING);
    }

    /** No loop may end, and no commit may be repeated, because a line could not be logged. */
    @Test
    void theLibraryLogsByALoggerThatNeverThrows() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(TELEMETRY)
                .and()
                .doNotBelongToAnyOf(SafeLogger.class)
                .and()
                .doNotHaveFullyQualifiedName(
                        "dev.windrow.engine.monitor.FailureLog") // it has a second line for a failing one
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(LoggerFactory.class));
    }

    @Test
    void nothingIsDeserializedOrLoadedByName() {
        check(noClasses()
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.io.ObjectInputStream")
                .orShould()
                .callMethod(Class.class, "forName", String.class)
                .because("no class is named by the database"));
    }

    @Test
    void noMethodIsSynchronized() {
        check(methods()
                .should()
                .notHaveModifier(JavaModifier.SYNCHRONIZED)
                .because("a virtual thread that blocks in a monitor pins its carrier; take a ReentrantLock"));
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(CLASSES);
    }

    private static ArchRule packageSeesOnly(String subject, String... seenBesideTheApi) {
        return noClasses()
                .that()
                .resideInAPackage(subject)
                .should()
                .dependOnClassesThat(resideInAPackage("dev.windrow..")
                        .and(not(resideInAnyPackage(API)))
                        .and(not(resideInAnyPackage(seenBesideTheApi))));
    }

    private static ArchRule onlyIn(String home, String... libraries) {
        return noClasses()
                .that()
                .resideOutsideOfPackage(home)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(libraries);
    }

    private static DescribedPredicate<JavaClass> timeSource() {
        return DescribedPredicate.describe("TimeSource", type -> type.getName().startsWith("dev.windrow.TimeSource"));
    }

    private static ArchCondition<JavaClass> nameOnlyPublicTypes() {
        return new ArchCondition<>("name only public types in public signatures") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getMembers().stream()
                        .filter(ArchitectureTest::isForCallers)
                        .forEach(member -> typesNamedBy(member)
                                .filter(named -> named.getPackageName().startsWith("dev.windrow"))
                                .filter(named -> !named.getModifiers().contains(JavaModifier.PUBLIC)
                                        || !resideInAnyPackage(EXPORTED).test(named))
                                .map(named -> member.getFullName() + " names " + named.getName())
                                .map(message -> SimpleConditionEvent.violated(member, message))
                                .forEach(events::add));
            }
        };
    }

    private static boolean isForCallers(JavaMember member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        return modifiers.contains(JavaModifier.PUBLIC) && !modifiers.contains(JavaModifier.SYNTHETIC);
    }

    private static Stream<JavaClass> typesNamedBy(JavaMember member) {
        if (member instanceof JavaField field) {
            return field.getType().getAllInvolvedRawTypes().stream();
        }
        JavaCodeUnit unit = (JavaCodeUnit) member;
        return Stream.concat(Stream.of(unit.getReturnType()), unit.getParameterTypes().stream())
                .flatMap(named -> named.getAllInvolvedRawTypes().stream());
    }
}
