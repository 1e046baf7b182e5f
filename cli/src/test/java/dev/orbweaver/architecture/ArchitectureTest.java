package dev.orbweaver.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

import dev.orbweaver.testing.ProjectFiles;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which module and package may use which, and what must not be done inside them. */
class ArchitectureTest {

    private static final String ROOT = "dev.orbweaver";

    /** What a library user may see of core, at most. */
    private static final int PUBLIC_TYPES_MAX = 55;

    /** The packages in which library users find the API. */
    private static final Set<String> API =
            Set.of(ROOT, ROOT + ".spi", ROOT + ".model", ROOT + ".config");

    /** The package of module {@code import}, whose own name is a keyword. */
    private static final String IMPORTS = "imports";

    /** What each module may use; ARCHITECTURE.md draws the same. */
    private static final Map<String, Set<String>> MODULES =
            Map.of(
                    "testkit",
                    Set.of(),
                    "core",
                    Set.of(),
                    "export",
                    Set.of("core"),
                    IMPORTS,
                    Set.of("core"),
                    "sinks",
                    Set.of("core"),
                    "fleet",
                    Set.of("core"),
                    "server",
                    Set.of("core", "export"),
                    "cli",
                    Set.of("core", "export", IMPORTS, "sinks", "fleet", "server", "testkit"));

    private static final Set<String> OPEN_PACKAGES = Set.of("model", "spi");

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages(ROOT);

    private static String module(JavaClass type) {
        var rest = type.getPackageName().substring(ROOT.length());
        var first = rest.isEmpty() ? "" : rest.substring(1).split("\\.", -1)[0];
        return MODULES.containsKey(first) ? first : "core";
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().startsWith(ROOT);
    }

    /** The modules that each one uses, as the class files say. */
    private static Map<String, Set<String>> uses() {
        var uses = new TreeMap<String, Set<String>>();
        MODULES.keySet().forEach(module -> uses.put(module, new TreeSet<>()));
        for (var type : CLASSES) {
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(ArchitectureTest::isOurs)
                    .map(ArchitectureTest::module)
                    .filter(used -> !used.equals(module(type)))
                    .forEach(used -> uses.get(module(type)).add(used));
        }
        return uses;
    }

    @Test
    void modulesUseOnlyTheModulesTheyMay() throws IOException {
        var uses = uses();
        var lines = new TreeMap<String, Long>();
        for (var file : ProjectFiles.sources()) {
            var module = packageOf(ProjectFiles.ROOT.relativize(file).getName(0).toString());
            try (var text = Files.lines(file)) {
                lines.merge(module, text.count(), Long::sum);
            }
        }
        uses.forEach(
                (module, used) ->
                        System.out.printf(
                                "%-8s %,7d lines -> %s%n",
                                module, lines.get(module), String.join(", ", used)));
        assertThat(uses)
                .allSatisfy((module, used) -> assertThat(MODULES.get(module)).containsAll(used));
    }

    @Test
    void everyClassOfAModuleIsInAPackageOfIt() throws IOException {
        for (var file : ProjectFiles.sources()) {
            var path = ProjectFiles.ROOT.relativize(file);
            var rest = path.subpath(6, path.getNameCount());
            var first = rest.getNameCount() > 1 ? rest.getName(0).toString() : "";
            assertThat(MODULES.containsKey(first) ? first : "core")
                    .as("%s", path)
                    .isEqualTo(packageOf(path.getName(0).toString()));
        }
    }

    private static String packageOf(String directory) {
        return directory.equals("import") ? IMPORTS : directory;
    }

    @Test
    void coreShowsFewTypesToLibraryUsers() {
        var shown =
                CLASSES.stream()
                        .filter(type -> module(type).equals("core"))
                        .filter(type -> !type.getPackageName().startsWith(ROOT + ".internal"))
                        .filter(type -> type.isTopLevelClass())
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getFullName)
                        .collect(Collectors.toCollection(TreeSet::new));
        System.out.println("public types of core outside internal: " + shown.size());
        assertThat(shown).hasSizeLessThanOrEqualTo(PUBLIC_TYPES_MAX);
    }

    /**
     * Signatures of the API that may mention types of internal packages, each with its reason. An
     * entry that is no longer needed fails the test.
     */
    private static final Map<String, String> SIGNATURES_WITH_INTERNAL_TYPES =
            Map.of(
                    ROOT
                            + ".FrontierProvider.of(..) -> "
                            + ROOT
                            + ".internal.engine.FrontierFactory",
                    "for other frontiers of Orbweaver's own modules");

    @Test
    void signaturesOfTheApiMentionNoInternalType() {
        var found = new TreeSet<String>();
        for (var type : CLASSES) {
            if (API.contains(type.getPackageName()) && isVisible(type)) {
                collectInternal(found, type.getName(), supertypes(type));
                for (var member : type.getMembers()) {
                    if (isVisible(member.getModifiers())) {
                        collectInternal(found, name(member), signature(member));
                    }
                }
            }
        }
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(SIGNATURES_WITH_INTERNAL_TYPES.keySet());
    }

    private static void collectInternal(Set<String> found, String where, List<JavaType> types) {
        types.stream()
                .flatMap(type -> type.getAllInvolvedRawTypes().stream())
                .map(JavaClass::getBaseComponentType)
                .filter(type -> type.getPackageName().startsWith(ROOT + ".internal"))
                .forEach(type -> found.add(where + " -> " + type.getName()));
    }

    private static List<JavaType> supertypes(JavaClass type) {
        var types = new ArrayList<JavaType>();
        type.getSuperclass().ifPresent(types::add);
        types.addAll(type.getInterfaces());
        types.addAll(type.getTypeParameters());
        return types;
    }

    /** Record components are covered by their accessor methods. */
    private static List<JavaType> signature(JavaMember member) {
        var types = new ArrayList<JavaType>();
        if (member instanceof JavaField field) {
            types.add(field.getType());
        } else if (member instanceof JavaCodeUnit unit) {
            types.add(unit.getReturnType());
            types.addAll(unit.getParameterTypes());
            types.addAll(unit.getTypeParameters());
            types.addAll(unit.getExceptionTypes());
        }
        return types;
    }

    private static String name(JavaMember member) {
        return member.getOwner().getName()
                + "."
                + member.getName()
                + (member instanceof JavaCodeUnit ? "(..)" : "");
    }

    /** Returns whether a type and all types around it can be used by a library user. */
    private static boolean isVisible(JavaClass type) {
        return isVisible(type.getModifiers())
                && type.getEnclosingClass().map(ArchitectureTest::isVisible).orElse(true);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC)
                || modifiers.contains(JavaModifier.PROTECTED);
    }

    /** Packages of core by themselves; those of another module by their first name. */
    @Test
    void packagesFormNoCycle() {
        slices().assignedFrom(new Packages()).should().beFreeOfCycles().check(CLASSES);
    }

    private static final class Packages implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            if (!isOurs(type)) {
                return SliceIdentifier.ignore();
            }
            var module = module(type);
            return SliceIdentifier.of(module.equals("core") ? type.getPackageName() : module);
        }

        @Override
        public String getDescription() {
            return "packages of core and other modules";
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ':',
            value = {
                "model:",
                "internal.url:model",
                "internal.disk:model",
                "internal.xml:",
                "spi:model url",
                "internal.scope:model url spi",
                "internal.robots:model url disk xml",
                "internal.frontier:model url disk",
                "internal.fetch:model url disk spi",
                "internal.parse:model url disk xml spi",
                "internal.sink:model url disk",
                "internal.archive:model url disk fetch parse sink revisit spi",
                "internal.revisit:disk",
                "internal.traps:model url scope frontier",
                "internal.seeds:model url disk frontier config",
                "internal.crawl:model url disk scope robots frontier fetch parse sink traps"
                        + " spi",
                "internal.explain:model url disk scope robots frontier fetch parse sink crawl"
                        + " spi",
            })
    void packagesOfCoreUseOnlyThosePackages(String name, String used) {
        var allowed =
                Stream.concat(
                                Stream.of(ROOT + "." + name + ".."),
                                Arrays.stream((used == null ? "" : used).split(" ", -1))
                                        .filter(each -> !each.isEmpty())
                                        .map(ArchitectureTest::ofCore))
                        .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(ROOT + "." + name + "..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage(ROOT + "..")
                                .and(DescribedPredicate.not(resideInAnyPackage(allowed))))
                .check(CLASSES);
    }

    private static String ofCore(String name) {
        return ROOT + (OPEN_PACKAGES.contains(name) ? "." : ".internal.") + name + "..";
    }

    @ParameterizedTest
    @CsvSource({
        "io.netty.., internal.fetch testkit",
        "org.netpreserve.jwarc.., internal.sink export imports",
        "org.duckdb.., export imports",
        "java.sql.., export imports",
        "com.mongodb.., sinks.mongo",
        "org.bson.., sinks.mongo",
        "io.lettuce.., fleet.redis",
        "io.javalin.., server",
        "org.eclipse.jetty.., server",
        "jakarta.servlet.., server",
        "org.apache.lucene.., server.search",
        "io.micrometer.., server.metrics",
        "software.amazon.awssdk.., sinks.s3",
        "com.github.luben.zstd.., internal.sink internal.frontier.disk internal.fetch export"
                + " sinks.mongo",
        "com.aayushatharva.brotli4j.., internal.fetch",
        "com.intel.gkl.., internal.sink",
        "com.google.re2j.., internal.scope internal.config internal.robots export",
        "com.ibm.icu.., internal.url internal.parse",
        "org.jsoup.., spi internal.parse internal.crawl internal.engine export.markdown",
        "picocli.., cli",
        "org.jline.., cli",
        "tools.jackson.dataformat.., internal.config"
    })
    void librariesAreUsedOnlyInTheirPackages(String library, String packages) {
        var users =
                Arrays.stream(packages.split(" ", -1))
                        .map(name -> ROOT + "." + name + "..")
                        .toArray(String[]::new);
        noClasses()
                .that()
                .resideOutsideOfPackages(users)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(CLASSES);
    }

    @Test
    void theModelHoldsOnlyValues() {
        classes()
                .that()
                .resideInAPackage(ROOT + ".model..")
                .should()
                .beRecords()
                .orShould()
                .beInterfaces()
                .orShould()
                .beEnums()
                .orShould()
                .haveOnlyFinalFields()
                .check(CLASSES);
    }

    @Test
    void decisionsReadNoClock() {
        for (var name :
                List.of(
                        "model",
                        "internal.url",
                        "internal.scope",
                        "internal.robots",
                        "internal.xml",
                        "internal.frontier",
                        "internal.parse",
                        "export")) {
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + "." + name + "..")
                    // Its deadline interrupts the parser and changes no result.
                    .and(
                            describe(
                                    "are not the parse pool",
                                    type -> !type.getName().contains(".ParsePool")))
                    .should()
                    .callMethod(System.class, "currentTimeMillis")
                    .orShould()
                    .callMethod(System.class, "nanoTime")
                    .orShould()
                    .callMethod(Instant.class, "now")
                    .orShould()
                    .callMethod(Thread.class, "sleep", long.class)
                    .orShould()
                    .dependOnClassesThat()
                    .areAssignableTo(Clock.class)
                    .check(CLASSES);
        }
    }

    @Test
    void onlyTheCommandLinePrints() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".cli..", ROOT + ".testkit..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(PrintStream.class)
                .check(CLASSES);
    }
}
