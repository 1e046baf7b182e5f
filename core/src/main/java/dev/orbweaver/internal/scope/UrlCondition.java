package dev.orbweaver.internal.scope;

import com.google.re2j.Pattern;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileExtensions;
import dev.orbweaver.model.HostPattern;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The conditions of a user's rule, all of which must hold for a URL.
 *
 * @param pattern is found in the URL
 */
public record UrlCondition(
        Optional<FileType> type, Optional<HostPattern> host, Optional<Pattern> pattern) {

    public static final String TYPE = "type:";
    public static final String HOST = "host:";

    /** Types of files, by the extension of a URL's path. */
    public enum FileType {
        DOCUMENT("doc docx epub odp ods odt pdf ppt pptx ps rtf xls xlsx"),
        IMAGE("avif bmp gif ico jpeg jpg png svg svgz tif tiff webp"),
        AUDIO("aac flac m4a mp3 ogg wav"),
        VIDEO("avi flv m4v mkv mov mp4 mpeg mpg ogv webm wmv"),
        ARCHIVE("7z bz2 gz iso jar rar tar tgz xz zip zst"),
        FEED("atom rss"),
        DATA("csv json tsv xml yaml yml");

        /** The extensions, each with a space before and after it. */
        private final String extensions;

        FileType(String extensions) {
            this.extensions = " " + extensions + " ";
        }

        private boolean includes(String extension) {
            return !extension.isEmpty() && extensions.contains(" " + extension + " ");
        }

        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    boolean appliesTo(String hostName) {
        return host.isEmpty() || host.get().matches(hostName);
    }

    public boolean matches(CrawlUrl url) {
        return appliesTo(url.host())
                && (type.isEmpty() || type.get().includes(FileExtensions.of(url)))
                && (pattern.isEmpty() || pattern.get().matcher(url.text()).find());
    }

    /** Returns the conditions as text, equal for equal conditions. */
    public String text() {
        return Stream.of(
                        type.map(it -> TYPE + it.id()),
                        host.map(it -> HOST + it),
                        pattern.map(Pattern::pattern))
                .flatMap(Optional::stream)
                .collect(Collectors.joining(" "));
    }
}
