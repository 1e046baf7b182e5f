package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.re2j.Pattern;

import dev.orbweaver.internal.archive.Hashes;
import dev.orbweaver.internal.archive.StoredPage;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * Derives file names from URLs, in a tree like the site's.
 *
 * <p>URLs are untrusted, and file systems restrict names. These rules ensure on every system that a
 * name does not leave its directory, is valid, and belongs to one page only:
 *
 * <ul>
 *   <li>Each segment of the path becomes one name. Path separators, control characters and
 *       characters that some system forbids ({@code <>:"|?*\} and all invisible ones) become
 *       underscores. {@code .} and {@code ..}, Windows device names, and names that end in a dot or
 *       a space are changed; a leading dot or hyphen gets an underscore as prefix.
 *   <li>A name has at most 80 bytes, a path at most 200 bytes and twelve directories; a longer one
 *       is truncated and gets a hash of the URL.
 *   <li>Two pages never share a file. Names that differ only in case or in Unicode normalisation
 *       are equal on many systems; so a name that was used before, ignoring case, also gets a hash
 *       of its URL. Used names are stored as 64-bit hashes, 8 to 16 bytes per page; a collision of
 *       these only adds an unnecessary hash to a name.
 *   <li>No directory name ends in {@code .md}, so that it cannot conflict with a page's file.
 * </ul>
 *
 * <p>Files of bodies keep the extension of their URL, or get one from their media type. Each has an
 * extension, so no directory below that of a host ends in one.
 */
final class FileNames {

    static final String EXTENSION = ".md";

    private static final int SEGMENT_BYTES_MAX = 80;
    private static final int PATH_BYTES_MAX = 200;
    private static final int DIRECTORIES_MAX = 12;
    private static final int HASH_DIGITS = 10;

    private static final String FORBIDDEN = "<>:\"/\\|?*";

    /** Windows device names, with or without an extension, in any case. */
    private static final Pattern DEVICE =
            Pattern.compile(
                    "(?i)(?:con|prn|aux|nul|com[0-9\u00B9\u00B2\u00B3]|lpt[0-9\u00B9\u00B2\u00B3]"
                            + "|conin\\$|conout\\$)(?:\\..*)?");

    private static final Pattern PAGE_EXTENSION =
            Pattern.compile("(?i)\\.(?:x?html?|shtml|php|aspx?|jsp|md)$");

    /** The extension of a file; a version such as 1.2 has none. */
    private static final Pattern FILE_EXTENSION =
            Pattern.compile("\\.[0-9]?[A-Za-z][A-Za-z0-9]{0,8}$");

    private final LongIndex usedNames = new LongIndex();

    /** Returns a relative path, unique in this export, separated by {@code /}. */
    String uniquePath(StoredPage page) {
        return uniquePath(page.url(), markdownPath(page.url()));
    }

    /** Returns the path of a body's file, unique in this export, separated by {@code /}. */
    String uniqueFilePath(StoredPage page) {
        return uniquePath(page.url(), filePath(page));
    }

    /** Returns the path of a URL before conflicts are resolved. */
    static String preferredPath(String url) {
        return markdownPath(url).text();
    }

    private String uniquePath(String url, FilePath preferred) {
        var hash = Hashes.hex(url, HASH_DIGITS);
        var plain = preferred.text();
        if (plain.getBytes(UTF_8).length <= PATH_BYTES_MAX && isNew(plain)) {
            return plain;
        }
        var directory = String.join("/", preferred.directories) + "/";
        if (directory.getBytes(UTF_8).length > PATH_BYTES_MAX - SEGMENT_BYTES_MAX) {
            directory = preferred.directories.getFirst() + "/";
        }
        var extension = preferred.extension;
        var stem =
                truncate(preferred.stem, SEGMENT_BYTES_MAX - HASH_DIGITS - 1 - extension.length());
        var name = directory + stem + "~" + hash;
        for (var number = 1; ; number++) {
            var path = name + (number == 1 ? "" : "-" + number) + extension;
            if (isNew(path)) {
                return path;
            }
        }
    }

    private boolean isNew(String path) {
        var folded = Normalizer.normalize(path, Normalizer.Form.NFKC).toUpperCase(Locale.ROOT);
        return usedNames.addNew(Hashes.number(folded.toLowerCase(Locale.ROOT)));
    }

    /** The parts of a URL that names are derived from. */
    private record UrlParts(String authority, String path, String query) {

        static UrlParts of(String url) {
            var rest = url.substring(url.indexOf("//") + 2);
            var query = rest.indexOf('?');
            var place = query < 0 ? rest : rest.substring(0, query);
            var slash = place.indexOf('/');
            return new UrlParts(
                    slash < 0 ? place : place.substring(0, slash),
                    slash < 0 ? "/" : place.substring(slash),
                    query < 0 ? "" : rest.substring(query + 1));
        }
    }

    /** A path in parts: the first directory is that of the host, the extension has its dot. */
    private record FilePath(List<String> directories, String stem, String extension) {

        String text() {
            return String.join("/", directories) + "/" + stem + extension;
        }
    }

    private static FilePath markdownPath(String url) {
        var parts = UrlParts.of(url);
        var segments = segments(parts);
        var directories = directories(directory(parts.authority()), segments, FileNames::directory);
        var stem = PAGE_EXTENSION.matcher(percentDecode(segments.getLast())).replaceFirst("");
        return new FilePath(directories, stem(stem, parts.query(), EXTENSION), EXTENSION);
    }

    private static FilePath filePath(StoredPage page) {
        var parts = UrlParts.of(page.url());
        var segments = segments(parts);
        var directories =
                directories(
                        hostDirectory(parts.authority()), segments, FileNames::withoutExtension);
        var last = percentDecode(segments.getLast());
        var known = FILE_EXTENSION.matcher(last);
        var hasExtension = known.find() && known.start() > 0;
        var extension =
                hasExtension
                        ? last.substring(known.start())
                        : MediaTypeExtensions.of(page.mediaType());
        var stem = hasExtension ? last.substring(0, known.start()) : last;
        return new FilePath(directories, stem(stem, parts.query(), extension), extension);
    }

    private static List<String> segments(UrlParts parts) {
        return List.of(parts.path().substring(1).split("/", -1));
    }

    private static List<String> directories(
            String host, List<String> segments, UnaryOperator<String> toName) {
        var names = new ArrayList<String>();
        names.add(host);
        for (var segment : segments.subList(0, segments.size() - 1)) {
            if (names.size() <= DIRECTORIES_MAX) {
                names.add(toName.apply(segment));
            }
        }
        return names;
    }

    private static String stem(String stem, String query, String extension) {
        var base = stem.isEmpty() ? "index" : stem;
        var whole = query.isEmpty() ? base : base + "@" + percentDecode(query);
        return name(whole, SEGMENT_BYTES_MAX - extension.length());
    }

    /** Returns the directory of a host, which must not have a name of the index beside it. */
    private static String hostDirectory(String authority) {
        var name = name(percentDecode(authority), SEGMENT_BYTES_MAX - 1);
        return name.toLowerCase(Locale.ROOT).startsWith(FilesExport.INDEX) ? "_" + name : name;
    }

    private static String withoutExtension(String segment) {
        var name = name(percentDecode(segment), SEGMENT_BYTES_MAX - 1);
        return FILE_EXTENSION.matcher(name).find() ? name + "_" : name;
    }

    static String directory(String segment) {
        var name = name(percentDecode(segment), SEGMENT_BYTES_MAX - 1);
        return name.toLowerCase(Locale.ROOT).endsWith(EXTENSION) ? name + "_" : name;
    }

    private static String name(String text, int bytesMax) {
        var out = new StringBuilder();
        Normalizer.normalize(text, Normalizer.Form.NFC).codePoints().forEach(c -> add(c, out));
        var name = trim(truncate(out.toString(), bytesMax - 1));
        if (name.isEmpty()
                || name.startsWith(".")
                || name.startsWith("-")
                || name.startsWith("~")) {
            return "_" + name;
        }
        return DEVICE.matcher(name).matches() ? "_" + name : name;
    }

    private static void add(int c, StringBuilder out) {
        var plain =
                switch (Character.getType(c)) {
                    case Character.CONTROL,
                            Character.FORMAT,
                            Character.SURROGATE,
                            Character.PRIVATE_USE,
                            Character.UNASSIGNED,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR ->
                            false;
                    default -> c != 0xFFFD && FORBIDDEN.indexOf(c) < 0;
                };
        out.appendCodePoint(!plain ? '_' : Character.isSpaceChar(c) ? ' ' : c);
    }

    private static String trim(String name) {
        var end = name.length();
        while (end > 0 && (name.charAt(end - 1) == '.' || name.charAt(end - 1) == ' ')) {
            end--;
        }
        return name.substring(0, end).stripLeading();
    }

    private static String truncate(String text, int bytesMax) {
        var bytes = 0;
        for (var i = 0; i < text.length(); ) {
            var c = text.codePointAt(i);
            bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            if (bytes > bytesMax) {
                return text.substring(0, i);
            }
            i += Character.charCount(c);
        }
        return text;
    }

    /** Decodes percent-encoding if the result is valid UTF-8. */
    static String percentDecode(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        var source = text.getBytes(UTF_8);
        var bytes = ByteBuffer.allocate(source.length);
        for (var i = 0; i < source.length; i++) {
            var value = source[i] == '%' && i + 2 < source.length ? hex(source, i + 1) : -1;
            bytes.put(value < 0 ? source[i] : (byte) value);
            i += value < 0 ? 0 : 2;
        }
        try {
            return UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException notUtf8) {
            return text;
        }
    }

    private static int hex(byte[] text, int at) {
        var high = Character.digit(text[at], 16);
        var low = Character.digit(text[at + 1], 16);
        return high < 0 || low < 0 ? -1 : high * 16 + low;
    }
}
