package dev.orbweaver.model;

import java.util.Locale;
import java.util.Set;

/** Classifies URLs by the file extension of their path, before anything is fetched. */
public final class FileExtensions {

    /** Images, audio, video, fonts, archives and data. */
    public static final Set<String> SKIPPED_BY_DEFAULT =
            Set.of(
                    "7z",
                    "aac",
                    "apk",
                    "asc",
                    "atom",
                    "avi",
                    "avif",
                    "bin",
                    "bmp",
                    "bz2",
                    "c",
                    "cpp",
                    "css",
                    "csv",
                    "deb",
                    "dmg",
                    "eot",
                    "epub",
                    "exe",
                    "flac",
                    "flv",
                    "gif",
                    "gz",
                    "h",
                    "hpp",
                    "ico",
                    "iso",
                    "jar",
                    "jpeg",
                    "jpg",
                    "js",
                    "json",
                    "m4a",
                    "m4v",
                    "map",
                    "mjs",
                    "mkv",
                    "mobi",
                    "mov",
                    "mp3",
                    "mp4",
                    "mpeg",
                    "mpg",
                    "msi",
                    "ogg",
                    "ogv",
                    "otf",
                    "pdf",
                    "pkg",
                    "png",
                    "ps",
                    "py",
                    "rar",
                    "rpm",
                    "rss",
                    "rst",
                    "sig",
                    "svg",
                    "svgz",
                    "tar",
                    "tgz",
                    "tif",
                    "tiff",
                    "ttf",
                    "txt",
                    "war",
                    "wasm",
                    "wav",
                    "webm",
                    "webmanifest",
                    "webp",
                    "wmv",
                    "woff",
                    "woff2",
                    "xml",
                    "xz",
                    "zip",
                    "zst");

    /** Content with a lower priority than pages. */
    public static final Set<String> MEDIA_AND_DOCUMENTS =
            Set.of(
                    "avi", "avif", "bmp", "csv", "doc", "docx", "epub", "flac", "gif", "gz", "ico",
                    "jpeg", "jpg", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "odt", "ogg", "pdf",
                    "png", "ppt", "pptx", "ps", "rar", "rtf", "svg", "tar", "tif", "tiff", "wav",
                    "webm", "webp", "xls", "xlsx", "zip");

    private static final int LONGEST = 12;

    private FileExtensions() {}

    /**
     * Returns the extension of a URL's path in lower case, without the dot; empty if there is none.
     */
    public static String of(CrawlUrl url) {
        var text = url.text();
        var query = text.indexOf('?');
        var end = query < 0 ? text.length() : query;
        var dot = text.lastIndexOf('.', end - 1);
        var slash = text.lastIndexOf('/', end - 1);
        if (dot < slash || end - dot - 1 > LONGEST || slash < "https://".length()) {
            return "";
        }
        return text.substring(dot + 1, end).toLowerCase(Locale.ROOT);
    }
}
