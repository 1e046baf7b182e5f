package dev.orbweaver.export;

import static java.util.Map.entry;

import java.util.Map;

/** The usual file name extension of a media type, for files whose URL has none. */
final class MediaTypeExtensions {

    private static final Map<String, String> EXTENSIONS =
            Map.ofEntries(
                    entry("application/atom+xml", "atom"),
                    entry("application/epub+zip", "epub"),
                    entry("application/gzip", "gz"),
                    entry("application/javascript", "js"),
                    entry("application/json", "json"),
                    entry("application/ld+json", "jsonld"),
                    entry("application/msword", "doc"),
                    entry("application/pdf", "pdf"),
                    entry("application/postscript", "ps"),
                    entry("application/rss+xml", "rss"),
                    entry("application/rtf", "rtf"),
                    entry("application/vnd.ms-excel", "xls"),
                    entry("application/vnd.ms-powerpoint", "ppt"),
                    entry("application/vnd.oasis.opendocument.spreadsheet", "ods"),
                    entry("application/vnd.oasis.opendocument.text", "odt"),
                    entry(
                            "application/vnd.openxmlformats-officedocument.presentationml"
                                    + ".presentation",
                            "pptx"),
                    entry(
                            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                            "xlsx"),
                    entry(
                            "application/vnd.openxmlformats-officedocument.wordprocessingml"
                                    + ".document",
                            "docx"),
                    entry("application/wasm", "wasm"),
                    entry("application/xhtml+xml", "xhtml"),
                    entry("application/xml", "xml"),
                    entry("application/zip", "zip"),
                    entry("audio/mpeg", "mp3"),
                    entry("audio/ogg", "ogg"),
                    entry("audio/wav", "wav"),
                    entry("font/otf", "otf"),
                    entry("font/ttf", "ttf"),
                    entry("font/woff", "woff"),
                    entry("font/woff2", "woff2"),
                    entry("image/avif", "avif"),
                    entry("image/bmp", "bmp"),
                    entry("image/gif", "gif"),
                    entry("image/jpeg", "jpg"),
                    entry("image/png", "png"),
                    entry("image/svg+xml", "svg"),
                    entry("image/tiff", "tif"),
                    entry("image/vnd.microsoft.icon", "ico"),
                    entry("image/webp", "webp"),
                    entry("image/x-icon", "ico"),
                    entry("text/calendar", "ics"),
                    entry("text/css", "css"),
                    entry("text/csv", "csv"),
                    entry("text/html", "html"),
                    entry("text/javascript", "js"),
                    entry("text/markdown", "md"),
                    entry("text/xml", "xml"),
                    entry("video/mp4", "mp4"),
                    entry("video/mpeg", "mpg"),
                    entry("video/quicktime", "mov"),
                    entry("video/webm", "webm"));

    private MediaTypeExtensions() {}

    /** Returns the extension with its dot; {@code .bin} for an unknown type. */
    static String of(String mediaType) {
        return "."
                + EXTENSIONS.getOrDefault(mediaType, mediaType.startsWith("text/") ? "txt" : "bin");
    }
}
