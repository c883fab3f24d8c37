package dev.windrow.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobContext;
import dev.windrow.spring.JobHandler;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;

/** What Spring learns ahead of time of handlers and payloads, without GraalVM. */
@Tag("once")
class AotTest {
    record Page(int number) {}

    record Book(String title, List<Page> pages) {}

    record Summary(String text) {}

    static class Books {
        @JobHandler("book.read")
        Summary read(Book book, JobContext job) {
            return new Summary(book.title());
        }
    }

    static class Plain {}

    @Test
    void handlersAndTheirPayloadsHaveHints() throws Exception {
        GenericApplicationContext context = new GenericApplicationContext();
        new AnnotatedBeanDefinitionReader(context)
                .register(
                        Books.class,
                        Plain.class,
                        WindrowAutoConfiguration.class,
                        WindrowTransactionAutoConfiguration.class,
                        WindrowWorkerAutoConfiguration.class);
        InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
        DefaultGenerationContext generation =
                new DefaultGenerationContext(new ClassNameGenerator(ClassName.get("app", "Main")), files);
        new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        generation.writeGeneratedContent();
        RuntimeHints hints = generation.getRuntimeHints();
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(Books.class.getDeclaredMethod("read", Book.class, JobContext.class)))
                .accepts(hints);
        for (Class<?> payload : List.of(Book.class, Page.class, Summary.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(payload)).accepts(hints);
            assertThat(RuntimeHintsPredicates.reflection().onMethod(payload.getRecordComponents()[0].getAccessor()))
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onType(JobContext.class)).rejects(hints);
        assertThat(files.getGeneratedFiles(Kind.SOURCE).keySet())
                .anyMatch(file -> file.contains("WindrowAutoConfiguration"));
    }
}
