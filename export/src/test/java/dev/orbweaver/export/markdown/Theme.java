package dev.orbweaver.export.markdown;

import dev.orbweaver.export.markdown.SampleManual.Bullets;
import dev.orbweaver.export.markdown.SampleManual.Code;
import dev.orbweaver.export.markdown.SampleManual.Grid;
import dev.orbweaver.export.markdown.SampleManual.Heading;
import dev.orbweaver.export.markdown.SampleManual.Note;
import dev.orbweaver.export.markdown.SampleManual.Page;
import dev.orbweaver.export.markdown.SampleManual.Paragraph;
import dev.orbweaver.export.markdown.SampleManual.Part;
import dev.orbweaver.export.markdown.SampleManual.Run;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Six themes modelled on well-known generators: where they put navigation, how they name it, how
 * they write code. All boilerplate uses words that the manual does not have ({@link #BOILERPLATE}),
 * so that remaining boilerplate can be counted.
 */
enum Theme {
    SPHINX {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body><div class="related" role="navigation"><h3>Wayfinding</h3><ul>
                    <li class="right"><a href="genindex.html">Wayfinding index</a></li>
                    <li class="right"><a href="%s" accesskey="N">following leaf</a> |</li></ul></div>
                    <div class="document"><div class="documentwrapper"><div class="bodywrapper">
                    <div class="body" role="main"><section id="s">%s</section></div></div></div>
                    <div class="sphinxsidebar" role="navigation"><h3>Wayfinding contents</h3><ul>%s</ul>
                    <div id="searchbox" role="search"><h3>Lookup</h3><form><input name="q"></form></div>
                    </div></div><div class="footer" role="contentinfo">&copy; Imprint holders.</div></body></html>
                    """
                            .formatted(file(next(page, all)), body(page), menu(all));
        }

        @Override
        String heading(Heading heading) {
            return "<h%1$d>%2$s<a class=\"headerlink\" href=\"#x\" title=\"Permalink\">¶</a></h%1$d>"
                    .formatted(heading.level(), escaped(heading.text()));
        }

        @Override
        String code(Code code) {
            return "<div class=\"highlight-%s notranslate\"><div class=\"highlight\"><pre><span></span>%s\n</pre></div></div>"
                    .formatted(
                            code.language().isEmpty() ? "default" : code.language(),
                            coloured(code.text()));
        }

        @Override
        String table(Grid grid) {
            return "<table class=\"docutils align-default\"><thead><tr class=\"row-odd\">"
                    + cells("th", grid.header(), "<p>%s</p>")
                    + "</tr></thead><tbody>"
                    + rows(grid, "<p>%s</p>")
                    + "</tbody></table>";
        }

        @Override
        String note(Note note) {
            return "<div class=\"admonition note\"><p class=\"admonition-title\">Note</p><p>"
                    + escaped(note.text())
                    + "</p></div>";
        }
    },

    DOCUSAURUS {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body class="navigation-with-keyboard"><div id="__docusaurus">
                    <div role="region" aria-label="Skip to main content"><a class="skipToContent_fXgn" href="#m">Skipover</a></div>
                    <nav class="navbar navbar--fixed-top"><div class="navbar__inner"><a href="/">Imprint</a>
                    <button class="clean-btn">Toggle</button></div></nav><div class="main-wrapper">
                    <div class="docsWrapper_BCFX"><aside class="theme-doc-sidebar-container"><nav class="menu"><ul>%s</ul></nav></aside>
                    <main class="docMainContainer_gTbr"><div class="container"><div class="row"><div class="col docItemCol_VOVn">
                    <nav class="theme-doc-breadcrumbs"><ul><li>Wayfinding</li></ul></nav>
                    <article><div class="theme-doc-markdown markdown">%s</div><footer class="theme-doc-footer">
                    <div class="editThisPage_x"><a href="https://forge.example/e">Amend leaf</a></div>
                    <span class="theme-last-updated">Wayfinding refreshed</span></footer></article>
                    <nav class="pagination-nav"><a class="pagination-nav__link" href="%s">following leaf</a></nav></div>
                    <div class="col col--3"><div class="tableOfContents_bqdL thin-scrollbar"><ul><li><a href="#a">Wayfinding entry</a></li></ul></div></div>
                    </div></div></main></div></div><footer class="footer footer--dark"><div>Imprint holders</div></footer></div></body></html>
                    """
                            .formatted(menu(all), body(page), file(next(page, all)));
        }

        @Override
        String heading(Heading heading) {
            return ("<h%1$d class=\"anchor\" id=\"a\">%2$s<a class=\"hash-link\" href=\"#a\""
                            + " title=\"Direct link\">​</a></h%1$d>")
                    .formatted(heading.level(), escaped(heading.text()));
        }

        @Override
        String code(Code code) {
            var lines =
                    code.text()
                            .lines()
                            .map(
                                    line ->
                                            "<span class=\"token-line\"><span class=\"token"
                                                    + " plain\">"
                                                    + escaped(line)
                                                    + "</span><br></span>")
                            .collect(Collectors.joining());
            var language = code.language().isEmpty() ? "" : " language-" + code.language();
            return ("<div class=\"theme-code-block%s\"><div class=\"codeBlockContent\"><pre"
                            + " class=\"prism-code%s\"><code"
                            + " class=\"codeBlockLines\">%s</code></pre><div class=\"buttonGroup\">"
                            + "<button>Duplicate</button></div></div></div>")
                    .formatted(language, language, lines);
        }

        @Override
        String note(Note note) {
            return "<div class=\"theme-admonition theme-admonition-note alert"
                    + " alert--info\"><div><span>note</span></div><div><p>"
                    + escaped(note.text())
                    + "</p></div></div>";
        }
    },

    MKDOCS {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body dir="ltr"><div data-md-component="skip"><a href="#s" class="md-skip">Skipover</a></div>
                    <header class="md-header"><nav class="md-header__inner"><a href=".">Imprint</a><label class="md-header__button">Toggle</label></nav></header>
                    <div class="md-container"><main class="md-main"><div class="md-main__inner md-grid">
                    <div class="md-sidebar md-sidebar--primary"><div class="md-sidebar__scrollwrap"><nav class="md-nav"><ul>%s</ul></nav></div></div>
                    <div class="md-sidebar md-sidebar--secondary"><nav class="md-nav md-nav--secondary"><ul><li><a href="#a">Wayfinding entry</a></li></ul></nav></div>
                    <div class="md-content"><article class="md-content__inner md-typeset">
                    <a href="https://forge.example/e" class="md-content__button md-icon" title="Amend leaf">Amend leaf</a>
                    %s</article></div></div></main><footer class="md-footer"><nav class="md-footer__inner"><a href="%s">following leaf</a></nav>
                    <div class="md-copyright">Imprint holders</div></footer></div></body></html>
                    """
                            .formatted(menu(all), body(page), file(next(page, all)));
        }

        @Override
        String heading(Heading heading) {
            return "<h%1$d id=\"a\">%2$s<a class=\"headerlink\" href=\"#a\">&para;</a></h%1$d>"
                    .formatted(heading.level(), escaped(heading.text()));
        }

        @Override
        String code(Code code) {
            var lines = code.text().split("\n", -1);
            var numbers = new StringBuilder();
            var text = new StringBuilder();
            for (var i = 0; i < lines.length; i++) {
                numbers.append("<span class=\"normal\">").append(i + 1).append("</span>\n");
                text.append("<a id=\"l%d\" href=\"#l%d\"></a>".formatted(i, i))
                        .append(coloured(lines[i]))
                        .append('\n');
            }
            return ("<div class=\"language-%s highlight\"><table class=\"highlighttable\"><tr><td"
                        + " class=\"linenos\"><div"
                        + " class=\"linenodiv\"><pre><span></span>%s</pre></div></td><td"
                        + " class=\"code\"><div><pre><span></span><code>%s</code></pre></div></td></tr></table></div>")
                    .formatted(code.language().isEmpty() ? "text" : code.language(), numbers, text);
        }

        @Override
        String note(Note note) {
            return "<div class=\"admonition note\"><p class=\"admonition-title\">Note</p><p>"
                    + escaped(note.text())
                    + "</p></div>";
        }
    },

    JAVADOC {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body class="class-declaration-page"><div class="flex-box"><header role="banner" class="flex-header">
                    <nav role="navigation"><div class="top-nav" id="navbar-top"><div class="skip-nav"><a href="#s">Skipover</a></div>
                    <ul id="navbar-top-firstrow" class="nav-list"><li><a href="i.html">Wayfinding</a></li></ul></div>
                    <div class="sub-nav"><ul class="sub-nav-list"><li>Lookup</li></ul></div></nav></header>
                    <div class="flex-content"><main role="main"><ul class="details-list"><li><section class="details">%s</section></li></ul></main>
                    <footer role="contentinfo"><hr><p class="legal-copy"><small>Imprint holders</small></p></footer></div></div></body></html>
                    """
                            .formatted(body(page));
        }

        @Override
        String heading(Heading heading) {
            return heading.level() == 1
                    ? "<div class=\"header\"><div class=\"sub-title\"></div><h1 title=\"x\" class=\"title\">%s</h1></div>"
                            .formatted(escaped(heading.text()))
                    : super.heading(heading);
        }

        @Override
        String table(Grid grid) {
            return "<table class=\"striped\"><caption><span>Table</span></caption><tbody><tr>"
                    + cells("th", grid.header(), "%s")
                    + "</tr>"
                    + rows(grid, "<code>%s</code>")
                    + "</tbody></table>";
        }

        @Override
        String note(Note note) {
            return "<dl class=\"notes\"><dt>API Note:</dt><dd>"
                    + escaped(note.text())
                    + "</dd></dl>";
        }
    },

    PLAIN {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body><p><a href="%1$s">Next: Menuentry %4$d</a> | <a href="i.html">Up: Wayfinding</a></p>
                    <p>Imprint holders since long ago.</p>
                    %2$s<hr><h3>Wayfinding</h3><ul>%3$s</ul><p><a href="%1$s">Next: Menuentry %4$d</a></p>
                    <address>Imprint holders</address></body></html>
                    """
                            .formatted(
                                    file(next(page, all)),
                                    body(page),
                                    menu(all),
                                    next(page, all).number());
        }
    },

    WORDPRESS {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body class="post-template single has-sidebar"><div id="page" class="site">
                    <a class="skip-link screen-reader-text" href="#c">Skipover</a>
                    <header id="masthead" class="site-header"><p class="site-title">Imprint</p><div class="main-navigation"><ul>%s</ul></div></header>
                    <div id="content" class="site-content"><div id="primary" class="content-area"><div id="main" class="site-main">
                    <article class="post type-post"><header class="entry-header">%s
                    <div class="entry-meta"><span class="posted-on">Imprint date</span></div></header>
                    <div class="entry-content">%s<div class="sharedaddy"><h3>Spread word:</h3><ul><li><a href="#">Chirper</a></li></ul></div></div>
                    <footer class="entry-footer"><span>Filed wayfinding</span></footer></article>
                    <div class="navigation post-navigation"><a href="%s" rel="next">following leaf</a></div>
                    <div id="comments" class="comments-area"><h2>Opinions</h2><p>Imprint nice leaf!</p></div></div></div>
                    <div id="secondary" class="widget-area"><div class="widget"><h2>Lookup</h2><ul><li>Wayfinding</li></ul></div></div></div>
                    <div id="colophon" class="site-footer">Imprint powered</div><div class="cookie-notice">Biscuits consent</div></div></body></html>
                    """
                            .formatted(
                                    menu(all),
                                    part(page.parts().getFirst()),
                                    parts(page.parts().subList(1, page.parts().size())),
                                    file(next(page, all)));
        }

        @Override
        String code(Code code) {
            return "<pre class=\"wp-block-code\"><code lang=\"x\" class=\"language-%s\">%s</code></pre>"
                    .formatted(code.language(), escaped(code.text()));
        }

        @Override
        String table(Grid grid) {
            return "<figure class=\"wp-block-table\"><table><tbody><tr>"
                    + cells("td", grid.header(), "<strong>%s</strong>")
                    + "</tr>"
                    + rows(grid, "%s")
                    + "</tbody></table></figure>";
        }
    };

    /** Words that occur only in boilerplate. */
    static final List<String> BOILERPLATE =
            List.of(
                    "wayfinding",
                    "following",
                    "leaf",
                    "lookup",
                    "imprint",
                    "holders",
                    "skipover",
                    "toggle",
                    "amend",
                    "refreshed",
                    "duplicate",
                    "spread",
                    "chirper",
                    "filed",
                    "opinions",
                    "powered",
                    "biscuits",
                    "menuentry");

    abstract String page(Page page, List<Page> all);

    String heading(Heading heading) {
        return "<h%1$d>%2$s</h%1$d>".formatted(heading.level(), escaped(heading.text()));
    }

    String code(Code code) {
        return "<pre>" + escaped(code.text()) + "</pre>";
    }

    String table(Grid grid) {
        return "<table><thead><tr>"
                + cells("th", grid.header(), "%s")
                + "</tr></thead><tbody>"
                + rows(grid, "%s")
                + "</tbody></table>";
    }

    String note(Note note) {
        return "<blockquote><p>" + escaped(note.text()) + "</p></blockquote>";
    }

    final String body(Page page) {
        return parts(page.parts());
    }

    final String parts(List<Part> parts) {
        return parts.stream().map(this::part).collect(Collectors.joining("\n"));
    }

    final String part(Part part) {
        return switch (part) {
            case Heading heading -> heading(heading);
            case Code code -> code(code);
            case Grid grid -> table(grid);
            case Note note -> note(note);
            case Bullets list ->
                    list.items().stream()
                            .map(item -> "<li>" + escaped(item) + "</li>")
                            .collect(Collectors.joining("\n", "<ul>", "</ul>"));
            case Paragraph paragraph ->
                    paragraph.runs().stream()
                            .map(Theme::run)
                            .collect(Collectors.joining(" ", "<p>", "</p>"));
        };
    }

    private static String run(Run run) {
        var text = escaped(run.text());
        return switch (run.style()) {
            case PLAIN -> text;
            case CODE -> "<code>" + text + "</code>";
            case STRONG -> "<strong>" + text + "</strong>";
            case LINK ->
                    "<a href=\"../to/"
                            + run.text().replace(' ', '-')
                            + ".html#x\">"
                            + text
                            + "</a>";
        };
    }

    private static String cells(String name, List<String> cells, String form) {
        return cells.stream()
                .map(cell -> "<" + name + ">" + form.formatted(escaped(cell)) + "</" + name + ">")
                .collect(Collectors.joining());
    }

    private static String rows(Grid grid, String form) {
        return grid.rows().stream()
                .map(row -> "<tr>" + cells("td", row, form) + "</tr>")
                .collect(Collectors.joining("\n"));
    }

    /** Writes code with the elements of a syntax highlighter. */
    private static String coloured(String text) {
        return escaped(text)
                .replaceAll("([a-z]+)", "<span class=\"n\">$1</span>")
                .replaceAll("&<span class=\"n\">([a-z]+)</span>;", "&$1;");
    }

    private static String head(Page page) {
        return """
        <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>%s — Imprint</title>
        <meta name="description" content="About %s"><style>p { color: red }</style></head>
        """
                .formatted(escaped(page.title()), escaped(page.title().toLowerCase(Locale.ROOT)));
    }

    private static String menu(List<Page> all) {
        return all.stream()
                .map(
                        page ->
                                "<li><a href=\"%s\">Menuentry %d</a></li>"
                                        .formatted(file(page), page.number()))
                .collect(Collectors.joining("\n"));
    }

    private static Page next(Page page, List<Page> all) {
        return all.get((page.number() + 1) % all.size());
    }

    static String file(Page page) {
        return "page" + page.number() + ".html";
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
