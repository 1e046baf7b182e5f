package dev.orbweaver.internal.scope;

import com.google.re2j.Pattern;

import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.FileExtensions;
import dev.orbweaver.model.HostPattern;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The user's rules that raise or lower the priority of URLs; the points of all that match add. */
public record PriorityRules(List<Rule> rules) {

    public static final PriorityRules NONE = new PriorityRules(List.of());

    public PriorityRules {
        rules = List.copyOf(rules);
    }

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

    /**
     * A rule, all of whose conditions must hold.
     *
     * @param pattern is found in the URL
     * @param points from -100 to 100
     */
    public record Rule(
            Optional<FileType> type,
            Optional<HostPattern> host,
            Optional<Pattern> pattern,
            int points) {

        private boolean matches(CrawlUrl url) {
            return (host.isEmpty() || host.get().matches(url.host()))
                    && (type.isEmpty() || type.get().includes(FileExtensions.of(url)))
                    && (pattern.isEmpty() || pattern.get().matcher(url.text()).find());
        }
    }

    public int points(CrawlUrl url) {
        var points = 0;
        for (var rule : rules) {
            points += rule.matches(url) ? rule.points : 0;
        }
        return points;
    }
}
