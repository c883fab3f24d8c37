package dev.windrow.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests the arrows between rooms. A room is a package with the name of its purpose. The name is the same in each layer. Inside a layer, a room
 * depends only on the ground rooms and on the rooms that are listed here.
 */
@Once
class RoomsTest {
    private static final Set<String> CAPABILITIES =
            Set.of("schedule", "workflow", "step", "limit", "retention", "query", "monitor", "transfer");

    /** The layers, by package, with the rooms on which each of their rooms may depend. The root of a layer assembles its rooms. */
    private static final Map<String, Set<String>> GROUND = Map.of(
            "dev.windrow", Set.of("", "validation", "payload"),
            "dev.windrow.store", Set.of("", "job", "payload"),
            "dev.windrow.store.sql", Set.of("connection", "job", "payload", "writer"),
            "dev.windrow.engine", Set.of("", "job", "payload"),
            "dev.windrow.sqlite", Set.of("", "connection", "job", "payload", "writer", "schema"),
            "dev.windrow.postgres", Set.of("connection", "job", "payload", "writer", "schema"),
            "dev.windrow.cli", Set.of("", "job", "database", "terminal"));

    /** The rooms that assemble others. The transaction of a store has every verb, and a worker runs every background task. */
    private static final Map<String, Set<String>> SEE_ALL = Map.of(
            "dev.windrow", Set.of(""),
            "dev.windrow.store", Set.of(""),
            "dev.windrow.store.sql", Set.of("writer"),
            "dev.windrow.engine", Set.of("", "worker"),
            "dev.windrow.sqlite", Set.of("", "writer", "monitor"),
            "dev.windrow.postgres", Set.of("", "writer", "monitor"),
            "dev.windrow.cli", Set.of(""));

    /** All other arrows. The use of a statement's constant is not among them, because the compiler copies its text. */
    private static final Map<String, Set<String>> ARROWS = Map.of(
            "dev.windrow", Set.of("schedule -> limit"),
            "dev.windrow.store", Set.of(),
            "dev.windrow.store.sql",
                    Set.of(
                            "monitor -> limit",
                            "monitor -> schedule",
                            "monitor -> transfer",
                            "query -> limit",
                            "query -> step",
                            "schedule -> limit"),
            "dev.windrow.engine",
                    Set.of(
                            "job -> monitor",
                            "job -> query",
                            "job -> schedule",
                            "job -> step",
                            "job -> worker",
                            "monitor -> retention",
                            "monitor -> worker",
                            "schedule -> monitor",
                            "step -> worker"),
            "dev.windrow.sqlite", Set.of("job -> limit", "job -> step", "job -> workflow", "workflow -> step"),
            "dev.windrow.postgres",
                    Set.of(
                            "job -> limit",
                            "job -> step",
                            "job -> workflow",
                            "processes -> workflow",
                            // Makes stores for the test kit, as an application makes its own.
                            "testing -> ",
                            "workflow -> step"),
            "dev.windrow.cli",
                    Set.of(
                            "job -> query",
                            "job -> worker",
                            "monitor -> limit",
                            "monitor -> worker",
                            "worker -> demo",
                            "workflow -> query"));

    /** The arrows to a lower layer. None leads to the room of the same name, or to a room that the source uses in its own layer. */
    private static final Map<String, Set<String>> ARROWS_DOWN = Map.of(
            "dev.windrow.engine", Set.of("job -> store.workflow", "retention -> store.processes"),
            "dev.windrow.store.sql",
                    Set.of("monitor -> store.processes", "monitor -> store.workflow", "retention -> store.processes"),
            "dev.windrow.sqlite",
                    Set.of("job -> store.sql.query", "processes -> store.sql.transfer", "schema -> store.sql.transfer"),
            "dev.windrow.postgres", Set.of("job -> store.sql.query", "schema -> store.sql.transfer"));

    /** The modules that are small enough to have no rooms. */
    private static final Pattern OTHER_MODULES = Pattern.compile(
            ".*/dev/windrow/(json|wire|dashboard|telemetry|testkit|contract|testserver|examples|bench|peers|tests)/.*");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .withImportOption(location -> !location.matches(OTHER_MODULES))
            .importPackages("dev.windrow");

    private record Place(String layer, String room) {
        static Place of(String name) {
            String layer = GROUND.keySet().stream()
                    .filter(known -> name.equals(known) || name.startsWith(known + "."))
                    .max((a, b) -> Integer.compare(a.length(), b.length()))
                    .orElseThrow();
            return new Place(layer, name.length() == layer.length() ? "" : name.substring(layer.length() + 1));
        }
    }

    @Test
    void roomsDependOnEachOtherOnlyByListedArrows() {
        Map<String, Set<String>> found =
                GROUND.keySet().stream().collect(Collectors.toMap(layer -> layer, RoomsTest::arrows));
        assertThat(found).as("a new arrow needs a reason").containsExactlyInAnyOrderEntriesOf(ARROWS);
    }

    @Test
    void eachCapabilityHasARoomInEachLayer() {
        GROUND.keySet().forEach(layer -> assertThat(rooms(layer)).as(layer).containsAll(CAPABILITIES));
    }

    @Test
    void roomsUseTheSameRoomOfLowerLayersOrListedArrows() {
        Map<String, Set<String>> found = new HashMap<>();
        pairs().filter(pair -> !pair.get(0).layer().equals(pair.get(1).layer()))
                .filter(pair -> !pair.get(1).layer().equals("dev.windrow"))
                .filter(pair -> !isFree(pair.get(0), pair.get(1)))
                .forEach(pair -> found.computeIfAbsent(pair.get(0).layer(), layer -> new TreeSet<>())
                        .add("%s -> %s.%s"
                                .formatted(
                                        pair.get(0).room(),
                                        pair.get(1).layer().substring("dev.windrow.".length()),
                                        pair.get(1).room())));
        assertThat(found).as("a new arrow needs a reason").containsExactlyInAnyOrderEntriesOf(ARROWS_DOWN);
    }

    private static boolean isFree(Place from, Place to) {
        return to.room().isEmpty()
                || from.room().equals(to.room())
                || GROUND.get(to.layer()).contains(to.room())
                || SEE_ALL.get(from.layer()).contains(from.room())
                || ARROWS.get(from.layer()).contains(from.room() + " -> " + to.room());
    }

    private static Set<String> rooms(String layer) {
        return CLASSES.stream()
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .map(type -> Place.of(type.getPackageName()))
                .filter(place -> place.layer().equals(layer))
                .map(Place::room)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the arrows of a layer, except those to its ground rooms and those from rooms that may use all. */
    private static Set<String> arrows(String layer) {
        return pairs().filter(pair ->
                        pair.get(0).layer().equals(layer) && pair.get(1).layer().equals(layer))
                .filter(pair -> !SEE_ALL.get(layer).contains(pair.get(0).room()))
                .filter(pair -> !GROUND.get(layer).contains(pair.get(1).room()))
                .map(pair -> pair.get(0).room() + " -> " + pair.get(1).room())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns each place with each other place on which it depends. */
    private static Stream<List<Place>> pairs() {
        return CLASSES.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency ->
                        dependency.getTargetClass().getPackageName().startsWith("dev.windrow"))
                .map(dependency -> List.of(
                        Place.of(dependency.getOriginClass().getPackageName()),
                        Place.of(dependency.getTargetClass().getPackageName())))
                .filter(pair -> !pair.get(0).equals(pair.get(1)));
    }
}
