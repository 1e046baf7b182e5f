package dev.orbweaver.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The release as it is unpacked: a launcher, jars and documents; no sources and no Maven. */
class ReleaseIT {

    private static final String OWN_CLASS_FROM_CACHE =
            "dev\\.orbweaver\\.cli\\.Main source: shared objects file";

    @TempDir Path directory;

    /** The archive's only entry, unpacked in a directory that has the archive's name. */
    private static Path release() throws IOException {
        return onlyEntry(onlyEntry(Path.of("target", "release"))).toAbsolutePath();
    }

    private static Path onlyEntry(Path directory) throws IOException {
        try (var entries = Files.list(directory)) {
            var found = entries.toList();
            assertThat(found).hasSize(1);
            return found.getFirst();
        }
    }

    @Test
    void theDemoRunsWithoutMaven() throws Exception {
        var called = directory.resolve("maven-was-called");
        var maven = directory.resolve("mvn");
        Files.writeString(maven, "#!/bin/sh\n: >'%s'\nexit 1\n".formatted(called));
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
        var command =
                List.of(
                        "env",
                        "PATH=" + directory + ":" + System.getenv("PATH"),
                        release().resolve("orbweaver").toString());
        var result = CommandResult.process(directory, command, "demo", "--out", "demo");
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out()).contains("pages");
        assertThat(directory.resolve("demo/summary.json")).exists();
        assertThat(called).doesNotExist();
    }

    @Test
    void aPreparedReleaseLoadsItsClassesFromItsCacheAndIgnoresADamagedOne() throws Exception {
        var launcher = release().resolve("orbweaver").toString();
        var cache = release().resolve("orbweaver.aot");
        Files.writeString(cache, "no cache");
        var loaded = directory.resolve("loaded.txt");
        var crawl = List.of("env", "JAVA_OPTS=-Xlog:class+load:file=" + loaded, launcher);
        var damaged = CommandResult.process(directory, crawl, "crawl", "--help");
        assertThat(damaged.err()).isEmpty();
        assertThat(damaged.code()).isZero();
        assertThat(Files.readString(loaded)).doesNotContainPattern(OWN_CLASS_FROM_CACHE);

        var prepared = CommandResult.process(directory, List.of(launcher), "--prepare");
        assertThat(prepared).isEqualTo(new CommandResult(0, "", ""));
        var result = CommandResult.process(directory, crawl, "crawl", "--help");
        assertThat(result).isEqualTo(damaged);
        assertThat(Files.readString(loaded)).containsPattern(OWN_CLASS_FROM_CACHE);
    }

    @Test
    void everyLibraryIsListedWithItsLicence() throws IOException {
        var list = Files.readString(release().resolve("THIRD-PARTY.txt"));
        assertThat(list).contains("Netty/Transport").doesNotContainIgnoringCase("unknown license");
        try (var jars = Files.list(release().resolve("lib"))) {
            var libraries =
                    jars.map(jar -> jar.getFileName().toString())
                            .filter(name -> !name.startsWith("orbweaver-"))
                            .toList();
            assertThat(libraries)
                    .hasSizeGreaterThan(50)
                    .allSatisfy(
                            jar ->
                                    assertThat(list)
                                            .contains(":" + jar.replaceFirst("-\\d.*", "") + ":"));
        }
    }

    @Test
    void documentsAndLicencesAreThere() throws IOException {
        for (var name : List.of("README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "docs/api.md")) {
            assertThat(release().resolve(name)).isNotEmptyFile();
        }
    }
}
