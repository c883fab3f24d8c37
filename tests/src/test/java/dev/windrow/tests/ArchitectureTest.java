package dev.windrow.tests;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The rings: values, then the store SPI, then the engine. Arrows point inwards only. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.windrow");

    @Test
    void valuesKnowNeitherStoresNorEngine() {
        noClasses()
                .that()
                .resideInAPackage("dev.windrow")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.windrow.*..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.windrow.(**)")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(CLASSES);
    }
}
