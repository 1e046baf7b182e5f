package dev.orbweaver.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The project in {@code examples/}, built by Maven as a user would build it: core is installed in a
 * local repository of its own and found there by its coordinates.
 *
 * <p>{@code mvn verify} ends before the phase {@code install}, and a test must not change the
 * user's local repository. So the jar of core and the two POMs are copied into an empty repository,
 * as {@code install} does. Everything else is copied by Maven from the local repository of this
 * build, which is configured as a remote one, so no network is needed.
 *
 * @param version the version of core
 * @param classPath the compiled examples and the runtime class path of the project
 */
record ExampleProject(String version, String classPath) {

    private static final int SECONDS_MAX = 120;

    static ExampleProject build(Path directory) throws IOException, InterruptedException {
        var examples = directory.resolve("examples");
        copySources(ProgramResult.ROOT.resolve("examples"), examples);
        var version = versionOfParent();
        assertThat(Files.readString(examples.resolve("pom.xml")))
                .as("the version of core in examples/pom.xml")
                .contains(
                        "<artifactId>orbweaver-core</artifactId>\n      <version>%s</version>"
                                .formatted(version));
        var repository = directory.resolve("repository");
        install(repository, "orbweaver-parent", version, "pom.xml", "pom");
        install(repository, "orbweaver-core", version, "core/pom.xml", "pom");
        install(
                repository,
                "orbweaver-core",
                version,
                "core/target/orbweaver-core-" + version + ".jar",
                "jar");
        var classPath = directory.resolve("classpath.txt");
        runMaven(directory, examples, repository, classPath);
        return new ExampleProject(
                version, examples.resolve("target/classes") + ":" + Files.readString(classPath));
    }

    /** Copies everything except the output of a build. */
    private static void copySources(Path from, Path to) throws IOException {
        try (var files = Files.walk(from)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var path = from.relativize(file);
                if (!path.startsWith("target")) {
                    var copy = to.resolve(path.toString());
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy);
                }
            }
        }
    }

    private static String versionOfParent() throws IOException {
        var matcher =
                Pattern.compile("<artifactId>orbweaver-parent</artifactId>\\s*<version>(.+?)<")
                        .matcher(Files.readString(ProgramResult.ROOT.resolve("pom.xml")));
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }

    private static void install(
            Path repository, String artifact, String version, String source, String type)
            throws IOException {
        var file =
                repository.resolve(
                        "dev/orbweaver/%s/%s/%s-%s.%s"
                                .formatted(artifact, version, artifact, version, type));
        Files.createDirectories(file.getParent());
        Files.copy(ProgramResult.ROOT.resolve(source), file);
    }

    private static void runMaven(Path directory, Path project, Path repository, Path classPath)
            throws IOException, InterruptedException {
        var settings = directory.resolve("settings.xml");
        Files.writeString(settings, settings());
        var output = directory.resolve("maven.txt");
        var builder =
                new ProcessBuilder(
                                List.of(
                                        "mvn",
                                        "-B",
                                        "-e",
                                        "-gs",
                                        settings.toString(),
                                        "-Dmaven.repo.local=" + repository,
                                        "-f",
                                        project.resolve("pom.xml").toString(),
                                        "compile",
                                        "dependency:build-classpath",
                                        "-Dmdep.includeScope=runtime",
                                        "-Dmdep.outputFile=" + classPath))
                        .directory(project.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        // The examples need Java 25, whatever runs the outer Maven.
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        var process = builder.start();
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        assertThat(process.exitValue())
                .as(Files.readString(output, StandardCharsets.UTF_8))
                .isZero();
    }

    /** Makes the local repository of this build the first one in which Maven looks. */
    private static String settings() {
        var local =
                Path.of(
                        System.getProperty(
                                "localRepository",
                                System.getProperty("user.home") + "/.m2/repository"));
        var repository =
                """
                <id>local-repository-of-the-build</id>
                <url>%s</url>
                <snapshots><enabled>false</enabled></snapshots>
                """
                        .formatted(local.toUri());
        return """
        <settings>
          <profiles>
            <profile>
              <id>offline</id>
              <repositories>
                <repository>%s</repository>
              </repositories>
              <pluginRepositories>
                <pluginRepository>%s</pluginRepository>
              </pluginRepositories>
            </profile>
          </profiles>
          <activeProfiles>
            <activeProfile>offline</activeProfile>
          </activeProfiles>
        </settings>
        """
                .formatted(repository, repository);
    }
}
