package dev.orbweaver.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonProperty;

import dev.orbweaver.internal.archive.StoredPage;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One JSON object per change and line. */
record JsonChanges(AtomicTextFile out) implements ChangeWriter {

    @JsonInclude(Include.NON_EMPTY)
    private record Line(
            String kind,
            String url,
            String title,
            Instant time,
            Optional<Visit> before,
            Optional<Visit> after,
            List<String> removed,
            List<String> added,
            @JsonProperty("lines-omitted") @JsonInclude(Include.NON_DEFAULT) int linesOmitted,
            @JsonInclude(Include.NON_DEFAULT) boolean unreadable) {}

    /** A visit, with the names of the page log. */
    @JsonInclude(Include.NON_EMPTY)
    private record Visit(
            long seq,
            Instant time,
            int status,
            long bytes,
            String digest,
            String warc,
            long offset,
            long length,
            String original,
            @JsonProperty("original-offset") @JsonInclude(Include.NON_DEFAULT) long originalOffset,
            @JsonProperty("original-length") @JsonInclude(Include.NON_DEFAULT)
                    long originalLength) {

        static Optional<Visit> of(StoredPage page) {
            return Optional.of(
                    new Visit(
                            page.seq(),
                            page.time(),
                            page.status(),
                            page.bytes(),
                            page.digest(),
                            page.warc(),
                            page.offset(),
                            page.length(),
                            page.original().warc(),
                            page.original().offset(),
                            page.original().length()));
        }
    }

    @Override
    public void write(PageChange change) throws IOException {
        var line =
                switch (change) {
                    case PageChange.New(var page) ->
                            line(change, Optional.empty(), Visit.of(page), List.of());
                    case PageChange.Gone(var page, _) ->
                            line(change, Visit.of(page), Optional.empty(), List.of());
                    case PageChange.Changed it ->
                            line(change, Visit.of(it.before()), Visit.of(it.after()), it.lines());
                    case PageChange.Markup(var before, var after) ->
                            line(change, Visit.of(before), Visit.of(after), List.of());
                };
        out.write(JsonMapper.shared().writeValueAsString(line) + "\n");
    }

    private static Line line(
            PageChange change, Optional<Visit> before, Optional<Visit> after, List<String> diff) {
        var lines = ChangedLines.of(diff);
        return new Line(
                change.kind(),
                change.page().url(),
                change.page().title(),
                change.time(),
                before,
                after,
                lines.removed(),
                lines.added(),
                lines.omitted(),
                change instanceof PageChange.Changed changed && !changed.readable());
    }
}
