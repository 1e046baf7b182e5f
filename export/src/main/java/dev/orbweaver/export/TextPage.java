package dev.orbweaver.export;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.orbweaver.export.markdown.MarkdownPage;
import dev.orbweaver.export.markdown.MarkdownPage.Anchor;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A page as Markdown.
 *
 * @param file relative path, separated by {@code /}
 */
record TextPage(String file, MarkdownPage page) {

    void write(DataOutput out) throws IOException {
        text(out, file);
        text(out, page.url());
        text(out, page.title());
        text(out, page.description());
        text(out, page.language());
        text(out, page.fetchedAt().toString());
        out.writeInt(page.quality());
        out.writeInt(page.tokens());
        out.writeLong(page.simHash());
        text(out, page.body());
        text(out, page.fields());
        out.writeInt(page.anchors().size());
        for (var anchor : page.anchors()) {
            out.writeInt(anchor.offset());
            text(out, anchor.id());
        }
    }

    static TextPage read(DataInput in) throws IOException {
        var file = text(in);
        var url = text(in);
        var title = text(in);
        var description = text(in);
        var language = text(in);
        var fetchedAt = Instant.parse(text(in));
        var quality = in.readInt();
        var tokens = in.readInt();
        var simHash = in.readLong();
        var body = text(in);
        return new TextPage(
                file,
                new MarkdownPage(
                        url,
                        title,
                        description,
                        language,
                        fetchedAt,
                        body,
                        quality,
                        tokens,
                        simHash,
                        text(in),
                        anchors(in)));
    }

    private static List<Anchor> anchors(DataInput in) throws IOException {
        var anchors = new ArrayList<Anchor>();
        for (var i = in.readInt(); i > 0; i--) {
            anchors.add(new Anchor(in.readInt(), text(in)));
        }
        return anchors;
    }

    private static void text(DataOutput out, String text) throws IOException {
        var bytes = text.getBytes(UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String text(DataInput in) throws IOException {
        var bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return new String(bytes, UTF_8);
    }
}
