package dev.orbweaver.server;

import dev.orbweaver.internal.disk.AtomicFile;
import dev.orbweaver.internal.disk.Disk;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Named requests of jobs, which may lack fields. Each is in a file of its own, which is private:
 * settings may be secret.
 */
final class TemplateStore {

    static final int TEMPLATES_MAX = 200;
    static final String DIRECTORY = "templates";
    private static final String SUFFIX = ".json";

    private final Disk disk;
    private final Path directory;
    private final Map<String, ObjectNode> templates = new TreeMap<>();

    TemplateStore(Disk disk, Path data) throws IOException {
        this.disk = disk;
        this.directory = data.resolve(DIRECTORY);
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (var files = Files.list(directory)) {
            for (var file : files.filter(each -> each.toString().endsWith(SUFFIX)).toList()) {
                var name = file.getFileName().toString();
                templates.put(name.substring(0, name.length() - SUFFIX.length()), read(file));
            }
        }
    }

    private ObjectNode read(Path file) throws IOException {
        try {
            return (ObjectNode) JsonMapper.shared().readTree(AtomicFile.read(disk, file));
        } catch (JacksonException | ClassCastException e) {
            throw new IOException(file + " is damaged: restore it, or move it away", e);
        }
    }

    private Path file(String name) {
        return directory.resolve(name + SUFFIX);
    }

    /** Returns all templates by name. */
    synchronized Map<String, ObjectNode> all() {
        return new TreeMap<>(templates);
    }

    synchronized Optional<ObjectNode> find(String name) {
        return Optional.ofNullable(templates.get(name));
    }

    /**
     * Creates or replaces a template.
     *
     * @return whether it is new
     */
    synchronized boolean put(String name, ObjectNode job) throws IOException {
        var isNew = !templates.containsKey(name);
        if (isNew && templates.size() >= TEMPLATES_MAX) {
            throw ProblemException.of(
                    ProblemException.CONFLICT,
                    "The limit of %d templates is reached; delete one.".formatted(TEMPLATES_MAX));
        }
        Files.createDirectories(directory);
        AtomicFile.writePrivate(disk, file(name), job + "\n");
        templates.put(name, job);
        return isNew;
    }

    synchronized void delete(String name) throws IOException {
        disk.delete(file(name));
        disk.syncDirectory(directory);
        templates.remove(name);
    }
}
