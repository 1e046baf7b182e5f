package dev.orbweaver.export;

import dev.orbweaver.internal.archive.CrawlArchive.BodyDefect;
import dev.orbweaver.internal.archive.CrawlPages;
import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.archive.StoredPage;

import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Exports bodies as files: those of the selected pages, content codings undone, in the tree of
 * their site, and {@value #INDEX} with a line for each.
 *
 * <p>A body is written to a scratch directory and then moved, so that every file in the tree is
 * complete, also after an interruption. Memory does not grow with a body.
 */
final class FilesExport {

    static final String INDEX = "files.jsonl";

    private static final int BUFFER_BYTES = 64 << 10;

    private final CrawlPages pages;
    private final Path directory;
    private final Path unfinished;
    private final AtomicTextFile index;
    private final FileNames names = new FileNames();
    private long files;
    private long notStored;
    private final Map<BodyDefect, Integer> defects = new EnumMap<>(BodyDefect.class);

    private FilesExport(CrawlPages pages, Path directory, Path unfinished, AtomicTextFile index) {
        this.pages = pages;
        this.directory = directory;
        this.unfinished = unfinished;
        this.index = index;
    }

    static ExportReport run(CrawlPages pages, ExportSettings settings) throws IOException {
        var directory = settings.exportTarget().requirePath(ExportFormat.FILES);
        MarkdownExport.requireEmpty(directory);
        Files.createDirectories(directory);
        try (var scratch = ScratchDirectory.createBeside(settings.exportTarget());
                var index = AtomicTextFile.create(directory.resolve(INDEX))) {
            var export =
                    new FilesExport(pages, directory, scratch.directory().resolve("body"), index);
            pages.forEachPage(export::add);
            index.finish();
            return new ExportReport(export.files, "files", export.notes());
        }
    }

    private void add(StoredPage page) throws IOException {
        if (!page.isStored()) {
            notStored++;
            return;
        }
        var name = names.uniqueFilePath(page);
        var file = directory.resolve(name).normalize();
        if (!file.startsWith(directory.normalize())) {
            throw new IllegalStateException("file name leaves the export directory: " + name);
        }
        var sha256 = Hashes.sha256();
        Optional<BodyDefect> defect;
        try (var out =
                new DigestOutputStream(
                        new BufferedOutputStream(Files.newOutputStream(unfinished), BUFFER_BYTES),
                        sha256)) {
            defect = pages.directoryOf(page).copyBody(page, out);
        }
        var bytes = Files.size(unfinished);
        AtomicTextFile.createParent(file);
        Files.move(unfinished, file);
        files++;
        defect.ifPresent(each -> defects.merge(each, 1, Integer::sum));
        var line = JsonMapper.shared().createObjectNode();
        line.put("url", page.url());
        line.put("path", name);
        line.put("type", page.mediaType());
        line.put("bytes", bytes);
        line.put("sha256", HexFormat.of().formatHex(sha256.digest()));
        line.put("time", page.time().toString());
        line.put("truncated", defect.map(FilesExport::id).orElse(""));
        index.write(line + "\n");
    }

    private static String id(BodyDefect defect) {
        return defect.name().toLowerCase(Locale.ROOT);
    }

    private List<String> notes() {
        var notes = new ArrayList<String>();
        for (var defect : BodyDefect.values()) {
            var count = defects.getOrDefault(defect, 0);
            if (count > 0) {
                notes.add(
                        "%,d %s not complete: %s (truncated in %s is \"%s\")"
                                .formatted(
                                        count,
                                        count == 1 ? "file is" : "files are",
                                        reason(defect),
                                        INDEX,
                                        id(defect)));
            }
        }
        if (notStored > 0) {
            notes.add(
                    "%,d %s omitted: the crawl stored no response"
                            .formatted(notStored, notStored == 1 ? "page was" : "pages were"));
        }
        return notes;
    }

    private static String reason(BodyDefect defect) {
        return switch (defect) {
            case LENGTH -> "the crawl cut the body at max-body";
            case ENCODING -> "the content coding could not be undone completely";
        };
    }
}
