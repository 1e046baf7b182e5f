package dev.orbweaver.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import dev.orbweaver.testing.ProjectFiles;
import dev.orbweaver.testing.Slow;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Every test belongs to exactly one lane: {@code mvn test}, the slow tests of {@code mvn verify},
 * or those of the packaged program. A test that no lane selects would be skipped in silence.
 */
class TestSelectionTest {

    private static final JavaClasses TESTS =
            ArchConfiguration.withThreadLocalScope(
                    configuration -> {
                        // Reading the libraries too would take most of the time.
                        configuration.setResolveMissingDependenciesFromClassPath(false);
                        return new ClassFileImporter().importPaths(testClasses());
                    });

    /** The compiled tests of every module. */
    private static List<Path> testClasses() {
        try (var modules = Files.list(ProjectFiles.ROOT)) {
            return modules.map(module -> module.resolve("target/test-classes"))
                    .filter(Files::isDirectory)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final List<String> TEST_ANNOTATIONS =
            List.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate");

    /** Each of these starts a process or a database server. */
    private static final List<String> SERVERS =
            List.of(
                    "RedisProcess",
                    "RedisCluster",
                    "S3Server",
                    "MongoTestServer",
                    "Chromium",
                    "SinkKills",
                    "FleetKills",
                    "Soak",
                    "FrontierKillLoop");

    private static final DescribedPredicate<JavaClass> HOLD_TESTS =
            describe(
                    "hold tests",
                    type ->
                            !type.getModifiers().contains(JavaModifier.ABSTRACT)
                                    && type.getAllMethods().stream()
                                            .anyMatch(TestSelectionTest::isTest));

    private static final DescribedPredicate<JavaClass> START_SERVERS =
            describe(
                    "start servers",
                    type ->
                            type.getDirectDependenciesFromSelf().stream()
                                    .map(to -> to.getTargetClass().getSimpleName())
                                    .anyMatch(SERVERS::contains));

    private static boolean isTest(JavaMethod method) {
        return method.getAnnotations().stream()
                .map(annotation -> annotation.getRawType().getSimpleName())
                .anyMatch(TEST_ANNOTATIONS::contains);
    }

    @Test
    void theBuildFindsEveryTestByItsName() {
        classes()
                .that(HOLD_TESTS)
                .should()
                .haveSimpleNameEndingWith("Test")
                .orShould()
                .haveSimpleNameEndingWith("IT")
                .check(TESTS);
    }

    @Test
    void everyServerThatIsNamedHereExists() {
        var names = TESTS.stream().map(JavaClass::getSimpleName).toList();
        assertThat(names).containsAll(SERVERS);
    }

    @Test
    void whatStartsAServerIsSlow() {
        classes()
                .that(HOLD_TESTS)
                .and()
                .haveSimpleNameEndingWith("Test")
                .and(START_SERVERS)
                .should()
                .beAnnotatedWith(Slow.class)
                .check(TESTS);
    }

    @Test
    void theTestsOfThePackagedProgramHaveALaneOfTheirOwn() {
        noClasses()
                .that()
                .haveSimpleNameEndingWith("IT")
                .should()
                .beAnnotatedWith(Slow.class)
                .check(TESTS);
    }

    @Test
    void thereIsOneTagAndTheBuildKnowsIt() throws Exception {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(Slow.class.getName())
                .should()
                .beAnnotatedWith(Tag.class)
                .check(TESTS);
        methods().should().notBeAnnotatedWith(Tag.class).check(TESTS);
        var pom = Files.readString(ProjectFiles.of("pom.xml"));
        assertThat(pom)
                .contains("<test.excluded.tag>" + Slow.TAG + "</test.excluded.tag>")
                .contains("<excludedGroups>${test.excluded.tag}</excludedGroups>")
                .contains("<groups>" + Slow.TAG + "</groups>");
    }
}
