package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.internal.archive.StoredPage;
import dev.orbweaver.internal.sink.PageLogEntry;
import dev.orbweaver.model.Capture.Kind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;

class FileNamesTest {

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "http://a.test/, a.test/index.md",
        "http://a.test, a.test/index.md",
        "http://a.test/guide/, a.test/guide/index.md",
        "http://a.test/guide/start.html, a.test/guide/start.md",
        "http://a.test/lang/String.HTML, a.test/lang/String.md",
        "http://a.test:8080/x, a.test_8080/x.md",
        "http://[2001:db8::1]:8080/x, [2001_db8__1]_8080/x.md",
        "http://a.test/list?page=2, a.test/list@page=2.md",
        "http://a.test/gr%C3%BC%C3%9Fe, a.test/grüße.md",
        "http://a.test/v1.2/notes.txt, a.test/v1.2/notes.txt.md",
        "http://a.test/readme.md/more, a.test/readme.md_/more.md",
        "http://a.test/a%2Fb, a.test/a_b.md",
        "http://a.test/%ff, a.test/%ff.md"
    })
    void aNameIsTheUrlAsFarAsItCanBe(String url, String name) {
        assertThat(new FileNames().uniquePath(page(url))).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://a.test/../../etc/passwd",
                "http://a.test/%2e%2e/%2e%2e/etc/passwd",
                "http://a.test/..%2f..%2fx",
                "http://a.test/..%5c..%5cx",
                "http://a.test//etc//passwd",
                "http://a.test/./././",
                "http://a.test/%00",
                "http://a.test/x%00.html",
                "http://a.test/C:/Windows",
                "http://a.test/C:%5CWindows",
                "http://a.test/con",
                "http://a.test/CON.html",
                "http://a.test/nul/aux.txt/com1.md",
                "http://a.test/COM%C2%B9.html",
                "http://a.test/trailing.",
                "http://a.test/trailing%20",
                "http://a.test/dots.../x",
                "http://a.test/...",
                "http://a.test/%20",
                "http://a.test/-rf",
                "http://a.test/.hidden/.git/config",
                "http://a.test/~root",
                "http://a.test/%E2%80%AEgpj.exe",
                "http://a.test/a%0Ab",
                "http://a.test/%F0%9F%95%B8",
                "http://a.test/x?../../y",
                "http://a.test/x?a=b/c\\d|e",
                "http://../x",
                "http://nul/x"
            })
    void noNameLeavesTheDirectoryOrIsRefusedAnywhere(String url) throws IOException {
        var name = new FileNames().uniquePath(page(url));
        requireSafe(name);
        var file = directory.resolve(name).normalize();
        assertThat(file.startsWith(directory)).isTrue();
        Files.createDirectories(file.getParent());
        Files.writeString(file, "x");
    }

    @Test
    void pagesWhoseNamesAreOneOnSomeMachineGetDifferentFiles() {
        var names = new FileNames();
        var given = new HashSet<String>();
        for (var url :
                List.of(
                        "http://a.test/readme",
                        "http://a.test/README",
                        "http://a.test/Readme.html",
                        "http://a.test/readme.php",
                        "https://a.test/readme",
                        "http://a.test/caf%C3%A9",
                        "http://a.test/cafe%CC%81",
                        "http://a.test/stra%C3%9Fe",
                        "http://a.test/STRASSE",
                        "http://a.test/a%3Ab",
                        "http://a.test/a%2Fb",
                        "http://a.test/a_b",
                        "http://a.test/d/",
                        "http://a.test/d/index.html",
                        "http://a.test/d",
                        "http://a.test/d.md/x",
                        "http://a.test/" + "l".repeat(300),
                        "http://a.test/" + "l".repeat(301))) {
            var name = names.uniquePath(page(url));
            requireSafe(name);
            assertThat(given.add(folded(name))).as("%s is %s", url, name).isTrue();
        }
    }

    @Test
    void noDirectoryHasTheNameOfAFile() throws IOException {
        var names = new FileNames();
        for (var url :
                List.of(
                        "http://a.test/x",
                        "http://a.test/x/y",
                        "http://a.test/x.md/y",
                        "http://a.test/x.MD/y",
                        "http://x.md/",
                        "http://a.test/x.md")) {
            var file = directory.resolve(names.uniquePath(page(url)));
            Files.createDirectories(file.getParent());
            Files.writeString(file, url);
            assertThat(file).hasContent(url);
        }
    }

    @Test
    void randomUrlsGetNamesThatAreSafeAndDifferent() {
        var seed = Long.getLong("orbweaver.seed", 20_261L);
        var random = new Random(seed);
        var pieces =
                List.of(
                        "..",
                        ".",
                        "/",
                        "//",
                        "%2e",
                        "%2F",
                        "%00",
                        "a",
                        "A",
                        "con",
                        "NUL",
                        " ",
                        "%20",
                        ":",
                        "\\",
                        "?",
                        "&",
                        "=",
                        "é",
                        "%C3%A9",
                        "\uD800",
                        "🕸",
                        "\u202E",
                        "x".repeat(120),
                        ".html",
                        ".md",
                        "~",
                        "-",
                        "*",
                        "|",
                        "\n",
                        "\u0130",
                        "ı");
        var names = new FileNames();
        var given = new HashSet<String>();
        var urls = new HashSet<String>();
        for (var i = 0; i < 20_000; i++) {
            var url = new StringBuilder("http://h.test/");
            for (var n = random.nextInt(8); n >= 0; n--) {
                url.append(pieces.get(random.nextInt(pieces.size())));
            }
            if (urls.add(url.toString())) {
                var name = names.uniquePath(page(url.toString()));
                requireSafe(name);
                assertThat(given.add(folded(name)))
                        .as("seed %d: %s is %s", seed, url, name)
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.test/, text/html, a.test/index.html",
        "http://a.test/docs/, text/html, a.test/docs/index.html",
        "http://a.test/page.php, text/html, a.test/page.php",
        "http://a.test/paper.pdf, application/pdf, a.test/paper.pdf",
        "http://a.test/paper, application/pdf, a.test/paper.pdf",
        "http://a.test/data.tar.gz, application/gzip, a.test/data.tar.gz",
        "http://a.test/logo.png?v=3, image/png, a.test/logo@v=3.png",
        "http://a.test/get?id=7, image/jpeg, a.test/get@id=7.jpg",
        "http://a.test/v1.2, text/html, a.test/v1.2.html",
        "http://a.test/song.mp3, audio/mpeg, a.test/song.mp3",
        "http://a.test/all.7z, application/octet-stream, a.test/all.7z",
        "http://a.test/x, application/octet-stream, a.test/x.bin",
        "http://a.test/x, text/x-unknown, a.test/x.txt",
        "http://a.test/.htaccess, text/plain, a.test/_.htaccess.txt",
        "http://a.test/old.site/a.pdf, application/pdf, a.test/old.site_/a.pdf",
        "http://a.test/v1.2/a.pdf, application/pdf, a.test/v1.2/a.pdf"
    })
    void aFileKeepsItsExtensionOrGetsThatOfItsType(String url, String type, String name) {
        assertThat(new FileNames().uniqueFilePath(page(url, type))).isEqualTo(name);
    }

    @Test
    void randomUrlsGetFilesThatAreSafeAndDifferentAndNoDirectories() {
        var seed = Long.getLong("orbweaver.seed", 20_262L);
        var random = new Random(seed);
        var pieces =
                List.of(
                        "..",
                        "/",
                        "//",
                        "%2e",
                        "%2F",
                        "%00",
                        "a",
                        "A",
                        "con",
                        "%20",
                        ":",
                        "\\",
                        "?",
                        "=",
                        "é",
                        "%C3%A9",
                        "\uD800",
                        "x".repeat(120),
                        ".html",
                        ".pdf",
                        ".PDF",
                        ".7",
                        ".tar.gz",
                        "~",
                        "-",
                        "files.jsonl");
        var types = List.of("text/html", "application/pdf", "", "weird", "image/png");
        var names = new FileNames();
        var files = new HashSet<String>();
        var directories = new HashSet<String>();
        var urls = new HashSet<String>();
        for (var i = 0; i < 20_000; i++) {
            var url =
                    new StringBuilder(
                            random.nextBoolean() ? "http://h.test/" : "http://files.jsonl/");
            for (var n = random.nextInt(8); n >= 0; n--) {
                url.append(pieces.get(random.nextInt(pieces.size())));
            }
            if (urls.add(url.toString())) {
                var type = types.get(random.nextInt(types.size()));
                var name = names.uniqueFilePath(page(url.toString(), type));
                requireSafeParts(name);
                assertThat(files.add(folded(name)))
                        .as("seed %d: %s is %s", seed, url, name)
                        .isTrue();
                for (var slash = name.indexOf('/');
                        slash > 0;
                        slash = name.indexOf('/', slash + 1)) {
                    directories.add(folded(name.substring(0, slash)));
                }
            }
        }
        files.add(folded(FilesExport.INDEX));
        directories.retainAll(files);
        assertThat(directories).as("seed %d", seed).isEmpty();
    }

    private static void requireSafe(String name) {
        assertThat(name).endsWith(".md");
        requireSafeParts(name);
        var parts = List.of(name.split("/", -1));
        assertThat(parts.subList(0, parts.size() - 1))
                .noneMatch(it -> it.toLowerCase(Locale.ROOT).endsWith(".md"));
    }

    private static void requireSafeParts(String name) {
        var parts = List.of(name.split("/", -1));
        assertThat(name.getBytes(UTF_8).length).as(name).isLessThanOrEqualTo(230);
        for (var part : parts) {
            assertThat(part)
                    .as(name)
                    .isNotEmpty()
                    .isNotIn(".", "..")
                    .doesNotContainPattern("[\\x00-\\x1F\\x7F<>:\"\\\\|?*\\u202E]")
                    .doesNotStartWith(".")
                    .doesNotStartWith("-")
                    .doesNotEndWith(".")
                    .doesNotEndWith(" ");
            assertThat(part.getBytes(UTF_8).length).isLessThanOrEqualTo(100);
            assertThat(part.replaceFirst("\\..*", "").toUpperCase(Locale.ROOT))
                    .isNotIn("CON", "NUL", "AUX", "PRN", "COM1", "COM¹", "LPT1");
        }
        var directories = new ArrayList<>(parts.subList(0, parts.size() - 1));
        assertThat(directories).hasSizeLessThan(15);
    }

    /** Folds a name like file systems that ignore case and Unicode normalisation. */
    private static String folded(String name) {
        return Normalizer.normalize(name, Normalizer.Form.NFC).toUpperCase(Locale.ROOT);
    }

    static StoredPage page(String url) {
        return page(url, "text/html");
    }

    private static StoredPage page(String url, String mediaType) {
        return new StoredPage(
                0, PageLogEntry.of(1, url, Kind.PAGE).status(200).mediaType(mediaType).build());
    }
}
