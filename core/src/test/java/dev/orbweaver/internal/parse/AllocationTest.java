package dev.orbweaver.internal.parse;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.orbweaver.spi.Document;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.util.List;

/**
 * A page is parsed in place. Code that copies or decodes it as a whole allocates at least its
 * length, four times what is allowed here.
 */
class AllocationTest {

    private static final int PARAGRAPHS = 5_000;
    private static final int LINKS = 50;

    @ParameterizedTest
    @CsvSource({
        "utf-8, text/html; charset=utf-8",
        "utf-8, text/html",
        "utf-8, ''",
        "windows-1252, text/html; charset=iso-8859-1",
        "windows-1252, text/html",
        "shift_jis, text/html; charset=shift_jis",
        "gb18030, text/html; charset=gb2312",
        "utf-8, application/xhtml+xml"
    })
    void aPageIsReadWithoutACopyOfIt(String charset, String contentType) {
        var bytes =
                page(charset.equals("windows-1252") ? "Fäden à soie" : "silk 糸")
                        .getBytes(Charset.forName(charset));
        var document = document(bytes, contentType);
        var parser = new HtmlParser(Pages.URLS, true);
        assertThat(parser.parse(document).links()).hasSize(LINKS);
        assertThat(
                        allocated(
                                () -> {
                                    var _ = parser.parse(document);
                                }))
                .as("bytes allocated for a page of %d", bytes.length)
                .isLessThan(bytes.length / 4);
        assertThat(allocated(() -> parser.references(document, (_, _, _, _) -> {})))
                .isLessThan(bytes.length / 4);
    }

    private static String page(String words) {
        var html = new StringBuilder("<!DOCTYPE html><html><head><title>Silk</title></head><body>");
        for (var i = 0; i < PARAGRAPHS; i++) {
            html.append("<p class=\"a b\" id='p").append(i).append("'>").append(words);
            html.append(" and so on &amp; on, with <b>marks</b> and <!-- comments --> in it.\n");
            if (i % (PARAGRAPHS / LINKS) == 0) {
                html.append("<a href=\"page").append(i).append(".html#x\">more</a>");
            }
        }
        return html.append("<script>var x = '<a href=no>';</script></body></html>").toString();
    }

    private static Document document(byte[] bytes, String contentType) {
        return new Document(
                Pages.URLS.parse(Pages.ADDRESS).orElseThrow(),
                contentType,
                List.of(),
                bytes,
                bytes.length);
    }

    private static long allocated(Runnable reading) {
        reading.run(); // The first time loads classes and tables.
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var before = threads.getCurrentThreadAllocatedBytes();
        reading.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
