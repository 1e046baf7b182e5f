package dev.orbweaver.export;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.w3c.dom.Element;
import org.w3c.dom.Node;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

/** Checks the rules of RFC 4287, section 4.1, with the XML parser of the JDK. */
final class AtomRules {

    private static final String NAMESPACE = "http://www.w3.org/2005/Atom";

    private AtomRules() {}

    static void check(String feed) throws Exception {
        var factory = DocumentBuilderFactory.newDefaultNSInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        var document =
                factory.newDocumentBuilder().parse(new ByteArrayInputStream(feed.getBytes(UTF_8)));
        var root = document.getDocumentElement();
        assertThat(root.getNamespaceURI()).isEqualTo(NAMESPACE);
        assertThat(root.getLocalName()).isEqualTo("feed");
        checkCommon(root);
        assertThat(children(children(root, "author").getFirst(), "name")).hasSize(1);
        var ids = new ArrayList<String>();
        for (var entry : children(root, "entry")) {
            checkCommon(entry);
            ids.add(children(entry, "id").getFirst().getTextContent());
            assertThat(children(entry, "content")).hasSizeLessThan(2);
            assertThat(children(entry, "link"))
                    .singleElement()
                    .satisfies(
                            link -> {
                                assertThat(link.getAttribute("rel")).isEqualTo("alternate");
                                assertThat(URI.create(link.getAttribute("href")).isAbsolute())
                                        .isTrue();
                            });
        }
        assertThat(ids).isNotEmpty().doesNotHaveDuplicates();
    }

    /** One id, which is an absolute IRI, one title and one date of RFC 3339. */
    private static void checkCommon(Element element) {
        assertThat(children(element, "id"))
                .singleElement()
                .satisfies(id -> assertThat(URI.create(id.getTextContent()).isAbsolute()).isTrue());
        assertThat(children(element, "title"))
                .singleElement()
                .satisfies(title -> assertThat(title.getTextContent()).isNotBlank());
        assertThat(children(element, "updated"))
                .singleElement()
                .satisfies(
                        date ->
                                assertThat(OffsetDateTime.parse(date.getTextContent()))
                                        .isNotNull());
    }

    private static List<Element> children(Element parent, String name) {
        var found = new ArrayList<Element>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && name.equals(element.getLocalName())) {
                assertThat(element.getNamespaceURI()).isEqualTo(NAMESPACE);
                found.add(element);
            }
        }
        return found;
    }
}
