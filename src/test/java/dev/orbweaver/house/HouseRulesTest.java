package dev.orbweaver.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.PrintStream;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The doors between rooms, and what must not be done inside them. ARCHITECTURE.md draws the same
 * plan.
 */
class HouseRulesTest {

    private static final JavaClasses HOUSE =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("dev.orbweaver");

    @Test
    void roomsFormNoCycle() {
        slices().matching("dev.orbweaver.(*)..").should().beFreeOfCycles().check(HOUSE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ':',
            value = {
                "model:",
                "url:model",
                "disk:model",
                "scope:model url",
                "robots:model url disk",
                "frontier:model url disk",
                "fetch:model url disk",
                "parse:model url disk",
                "sink:model url disk",
                "crawl:model url disk scope robots frontier fetch parse sink",
                "config:model url disk scope robots frontier fetch parse sink crawl store",
                "export:model url disk parse sink",
                "store:model url disk parse sink export",
                "search:model url disk parse sink export",
                "metrics:model frontier store",
                "lab:model"
            })
    void aRoomOpensOnlyTheDoorsItHas(String room, String doors) {
        var allowed =
                Stream.concat(
                                Stream.of(room),
                                Arrays.stream((doors == null ? "" : doors).split(" ", -1))
                                        .filter(name -> !name.isEmpty()))
                        .map(name -> "dev.orbweaver." + name + "..")
                        .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage("dev.orbweaver." + room + "..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.orbweaver..").and(not(resideInAnyPackage(allowed))))
                .check(HOUSE);
    }

    @Test
    void onlyTheCommandLineStartsTheLaboratory() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.orbweaver.lab..", "dev.orbweaver.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.orbweaver.lab..")
                .check(HOUSE);
    }

    @ParameterizedTest
    @CsvSource({
        "io.netty.., fetch lab",
        "org.netpreserve.jwarc.., sink export",
        "org.duckdb.., export",
        "java.sql.., export",
        "com.mongodb.., store.mongo",
        "org.bson.., store.mongo",
        "io.lettuce.., frontier.redis",
        "io.javalin.., service",
        "org.eclipse.jetty.., service",
        "jakarta.servlet.., service",
        "org.apache.lucene.., search",
        "io.micrometer.., metrics",
        "software.amazon.awssdk.., store.s3",
        "com.github.luben.zstd.., sink frontier.disk fetch export store.mongo",
        "com.aayushatharva.brotli4j.., fetch",
        "com.google.re2j.., scope config robots parse.markdown export",
        "com.ibm.icu.., url parse",
        "crawlercommons.., url",
        "org.jsoup.., parse",
        "picocli.., cli",
        "org.jline.., cli",
        "tools.jackson.dataformat.., config"
    })
    void aLibraryHasItsDoor(String library, String rooms) {
        var doors =
                Arrays.stream(rooms.split(" ", -1))
                        .map(room -> "dev.orbweaver." + room + "..")
                        .toArray(String[]::new);
        noClasses()
                .that()
                .resideOutsideOfPackages(doors)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(HOUSE);
    }

    @Test
    void theModelHoldsOnlyValues() {
        classes()
                .that()
                .resideInAPackage("dev.orbweaver.model..")
                .should()
                .beRecords()
                .orShould()
                .beInterfaces()
                .orShould()
                .beEnums()
                .orShould()
                .haveOnlyFinalFields()
                .check(HOUSE);
    }

    @Test
    void decisionsReadNoClock() {
        for (var room : List.of("model", "url", "scope", "robots", "frontier", "parse", "export")) {
            noClasses()
                    .that()
                    .resideInAPackage("dev.orbweaver." + room + "..")
                    // Its deadline raises an alarm and changes no result.
                    .and()
                    .haveNameNotMatching("dev\\.orbweaver\\.parse\\.ParsePool.*")
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
                    .check(HOUSE);
        }
    }

    @Test
    void onlyTheCommandLinePrints() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.orbweaver.cli..", "dev.orbweaver.lab..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(PrintStream.class)
                .check(HOUSE);
    }
}
