package dev.windrow.tests.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.store.Command;
import dev.windrow.store.OpenStore;
import dev.windrow.store.Transition;
import dev.windrow.tests.Once;
import dev.windrow.tests.crash.Soak;
import dev.windrow.tests.docs.Docs;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The model of a job's life, model/Windrow.tla: its rules hold, a broken rule is noticed, and it matches this code. */
@Once
class ModelCheckTest {
    private static final Pattern TRANSITION = Pattern.compile(
            "\\[name \\|-> \"(\\w+)\", *from \\|-> \\{([^}]*)}, *to \\|-> \"(\\w+)\", *by \\|-> \"(\\w+)\"]");
    private static final Pattern VERB = Pattern.compile("(?m)^  (\\w+) +\\|-> \"(\\w+)\",?$");
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");
    private static final Pattern DEFINITION = Pattern.compile("(?m)^(\\w+)(?:\\([^)]*\\))? *==");

    @TempDir
    Path folder;

    private final String module = Docs.read("model/Windrow.tla");

    @Test
    void aLateWorkerHarmsNoJobByAnyTransition() throws Exception {
        Tlc.Answer answer = holds("Fencing.cfg", Tlc.Size.MANY_STATES);
        if (Soak.isOn()) {
            assertThat(answer.actions())
                    .as("actions that were taken")
                    .containsAll(actions())
                    .contains("Begin", "RequestCancel", "Tick", "Crash", "Pause", "Wake");
        }
    }

    @Test
    void clockStepsAndLocksReclaimNoJobOfALiveWorker() throws Exception {
        assertThat(holds("Leases.cfg", Tlc.Size.FEW_STATES).actions())
                .as("actions that were taken")
                .contains("Claim", "Settle", "Renew", "Suspects", "Touch", "Reclaim", "ClockStep", "Lock", "Unlock");
    }

    @Test
    void aJobWithoutALiveHolderIsReclaimedOnceFaultsHaveEnded() throws Exception {
        holds("Stranded.cfg", Tlc.Size.FEW_STATES);
    }

    private Tlc.Answer holds(String config, Tlc.Size size) throws Exception {
        Tlc.Answer answer = new Tlc(folder).check(config, "none", size);
        assertThat(answer.foundNoError()).as(answer.output()).isTrue();
        System.out.println("model check: " + answer.states() + " states in " + config);
        return answer;
    }

    /** Checks the model independently of the code. Run it with {@code -Psoak} after a change of {@code model/Windrow.tla}. */
    @Tag("soak")
    @ParameterizedTest
    @CsvSource({
        "settle without token, Fencing.cfg, ALostHolderChangesNothing",
        "renew without token, Fencing.cfg, ALostHolderChangesNothing",
        "reclaim by wall clock, Leases.cfg, ALiveWorkerKeepsItsJob",
        "reclaim within one renewal, Leases.cfg, ALiveWorkerKeepsItsJob",
        "reclaim without write, Leases.cfg, ALiveWorkerKeepsItsJob",
        "reclaim as first seen, Fencing.cfg, NothingKnownIsForgotten"
    })
    void aBrokenRuleIsNoticed(String mutant, String config, String invariant) throws Exception {
        assertThat(section("Mutants == {", "}")).contains('"' + mutant + '"');
        Tlc.Answer answer = new Tlc(folder).check(config, mutant, Tlc.Size.FEW_STATES);
        assertThat(answer.violated()).as(answer.output()).isEqualTo(invariant);
    }

    @Test
    void everyBreakableRuleOfTheModelIsTried() throws Exception {
        Method test = ModelCheckTest.class.getDeclaredMethod(
                "aBrokenRuleIsNoticed", String.class, String.class, String.class);
        List<String> tried = Arrays.stream(test.getAnnotation(CsvSource.class).value())
                .map(line -> line.substring(0, line.indexOf(',')))
                .toList();
        assertThat(quoted(section("Mutants == {", "}")))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(Stream.of("none"), tried.stream()).toList());
    }

    @Test
    void theModelHasTheTransitionsOfTheCodeInOrder() {
        assertThat(transitions().map(t -> t.group(1) + " " + new TreeSet<>(quoted(t.group(2))) + " " + t.group(3)))
                .containsExactlyElementsOf(Arrays.stream(Transition.values())
                        .map(t -> t + " "
                                + (t.from().isEmpty()
                                        ? "[NEW]"
                                        : t.from().stream()
                                                .map(Enum::name)
                                                .collect(Collectors.toCollection(TreeSet::new)))
                                + " " + (t.to() == null ? "GONE" : t.to().name()))
                        .toList());
    }

    @Test
    void everyCommandAndReadOfTheStoreIsModelledOrExcludedByName() {
        Set<String> verbs = Arrays.stream(OpenStore.class.getMethods())
                .filter(method -> !method.isSynthetic() && Modifier.isAbstract(method.getModifiers()))
                .map(Method::getName)
                .collect(Collectors.toSet());
        for (Class<?> command : Command.class.getPermittedSubclasses()) {
            if (command != Command.Internal.class) {
                verbs.add(command.getSimpleName());
            }
        }
        Set<String> named = new TreeSet<>(quoted(section("NotModelled == {", "}")));
        VERB.matcher(section("Verbs == [", "]")).results().forEach(verb -> named.add(verb.group(1)));
        assertThat(named).containsExactlyInAnyOrderElementsOf(verbs);
    }

    @Test
    void everyNamedActionIsDefinedAndTaken() {
        List<String> defined = DEFINITION
                .matcher(module)
                .results()
                .map(match -> match.group(1))
                .toList();
        String next = module.substring(module.indexOf("\nNext =="), module.indexOf("\nSpec =="));
        assertThat(actions()).isNotEmpty().allSatisfy(action -> {
            assertThat(defined).contains(action);
            assertThat(next).contains(action + "(");
        });
    }

    /** Returns the actions of the model that represent transitions and verbs. */
    private Set<String> actions() {
        Set<String> actions = new TreeSet<>();
        transitions().forEach(transition -> actions.add(transition.group(4)));
        VERB.matcher(section("Verbs == [", "]")).results().forEach(verb -> actions.add(verb.group(2)));
        return actions;
    }

    private Stream<MatchResult> transitions() {
        return TRANSITION.matcher(module).results();
    }

    private static List<String> quoted(String text) {
        return QUOTED.matcher(text).results().map(match -> match.group(1)).toList();
    }

    private String section(String from, String to) {
        int start = module.indexOf(from);
        assertThat(start).as(from).isNotNegative();
        return module.substring(start, module.indexOf(to, start));
    }
}
