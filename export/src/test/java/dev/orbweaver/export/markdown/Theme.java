package dev.orbweaver.export.markdown;

import dev.orbweaver.export.markdown.SampleManual.Bullets;
import dev.orbweaver.export.markdown.SampleManual.Code;
import dev.orbweaver.export.markdown.SampleManual.Definition;
import dev.orbweaver.export.markdown.SampleManual.Footnote;
import dev.orbweaver.export.markdown.SampleManual.Grid;
import dev.orbweaver.export.markdown.SampleManual.Heading;
import dev.orbweaver.export.markdown.SampleManual.Note;
import dev.orbweaver.export.markdown.SampleManual.Page;
import dev.orbweaver.export.markdown.SampleManual.Paragraph;
import dev.orbweaver.export.markdown.SampleManual.Part;
import dev.orbweaver.export.markdown.SampleManual.Run;
import dev.orbweaver.export.markdown.SampleManual.Sidebar;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Themes modelled on well-known generators: where they put navigation, how they name it, how they
 * write code. All boilerplate uses words that the manual does not have ({@link #BOILERPLATE}), so
 * that remaining boilerplate can be counted.
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
                    <div class="body" role="main"><section id="search-comments">%s</section></div></div></div>
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
    },

    /** As in PostgreSQL's manual and Boost's: no landmark, navigation in tables. */
    DOCBOOK {
        @Override
        String page(Page page, List<Page> all) {
            var next = next(page, all);
            return head(page)
                    + """
                    <body><table width="100%%"><tr><td><a href="h.html">Imprint</a></td><td><a href="l.html">Wayfinding</a></td></tr></table><hr>
                    <div class="navheader"><table summary="Navigation header"><tr><th colspan="3">Wayfinding leaf</th></tr>
                    <tr><td><a accesskey="p" href="i.html">Prev</a></td><th>Imprint part</th><td><a accesskey="n" href="%1$s">Next</a></td></tr></table><hr></div>
                    <div class="chapter" id="COMMENTS">%2$s</div><div class="navfooter"><hr><table><tr><td><a href="i.html">Prev</a></td>
                    <td><a href="h.html">Home</a></td><td><a href="%1$s">Next</a></td></tr><tr><td>Wayfinding</td><td></td><td>Menuentry %3$d</td></tr></table></div></body></html>
                    """
                            .formatted(file(next), body(page), next.number());
        }

        @Override
        String heading(Heading heading) {
            return "<div class=\"sect%1$d\" id=\"SEARCH\"><div class=\"titlepage\"><div><div><h%1$d class=\"title\"><a name=\"share\"></a>%2$s</h%1$d></div></div></div></div>"
                    .formatted(heading.level(), escaped(heading.text()));
        }

        @Override
        String note(Note note) {
            return "<div class=\"note\"><h3 class=\"title\">Note</h3><p>"
                    + escaped(note.text())
                    + "</p></div>";
        }

        @Override
        String definition(Definition term) {
            return "<div class=\"variablelist\"><dl class=\"variablelist\"><dt id=\"%s\"><span class=\"term\"><code class=\"literal\">%s</code></span></dt><dd><p>%s</p></dd></dl></div>"
                    .formatted(term.id(), escaped(term.term()), escaped(term.text()));
        }

        @Override
        String footnote(Footnote note) {
            return "<div class=\"footnotes\"><div id=\"ftn.search\" class=\"footnote\"><p><a href=\"#s\" class=\"para\"><sup class=\"para\">[%d] </sup></a>%s</p></div></div>"
                    .formatted(note.number(), escaped(note.text()));
        }

        @Override
        String sidebar(Sidebar sidebar) {
            return "<div class=\"sidebar\"><p class=\"title\"><b>%s</b></p>%s</div>"
                    .formatted(escaped(sidebar.title()), code(sidebar.code()));
        }
    },

    RUSTDOC {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body class="rustdoc struct"><nav class="mobile-topbar"><button>Toggle</button><h2 class="location">Wayfinding</h2></nav>
                    <nav class="sidebar"><h2><a href="i.html">Wayfinding</a></h2><ul class="block">%s</ul></nav>
                    <main><div class="width-limiter"><nav class="sub"><form class="search-form"><input name="search"></form></nav>
                    <section id="main-content" class="content">%s</section></div></main></body></html>
                    """
                            .formatted(menu(all), body(page));
        }

        @Override
        String heading(Heading heading) {
            return "<section id=\"method.search\" class=\"method has-srclink\"><a class=\"srclink\" href=\"s.html\">amend</a><h%1$d class=\"code-header\"><a href=\"#x\">%2$s</a></h%1$d></section>"
                    .formatted(heading.level(), escaped(heading.text()));
        }

        @Override
        String footnote(Footnote note) {
            return "<div class=\"footnotes\"><ol><li id=\"fn%d\"><p>%s <a href=\"#fnref\">↩</a></p></li></ol></div>"
                    .formatted(note.number(), escaped(note.text()));
        }
    },

    MDBOOK {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body><div id="help-popup"><h2>Wayfinding keys</h2><p>Toggle imprint</p></div>
                    <nav id="sidebar" class="sidebar" aria-label="Table of contents"><ol class="chapter">%s</ol></nav>
                    <div id="page-wrapper" class="page-wrapper"><div class="page"><div id="menu-bar" class="menu-bar sticky">
                    <h1 class="menu-title">Imprint</h1><div class="right-buttons"><a href="p.html" title="Print">Lookup</a></div></div>
                    <div id="content" class="content"><main>%s</main><nav class="nav-wrapper"><a rel="next" href="%s">following leaf</a></nav></div></div></div></body></html>
                    """
                            .formatted(menu(all), body(page), file(next(page, all)));
        }

        @Override
        String heading(Heading heading) {
            return "<h%1$d id=\"cookies\"><a class=\"header\" href=\"#cookies\">%2$s</a></h%1$d>"
                    .formatted(heading.level(), escaped(heading.text()));
        }

        @Override
        String footnote(Footnote note) {
            return "<div class=\"footnote-definition\" id=\"share\"><sup class=\"footnote-definition-label\">%d</sup><p>%s</p></div>"
                    .formatted(note.number(), escaped(note.text()));
        }
    },

    DOXYGEN {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body><div id="top"><div id="titlearea"><table><tbody><tr><td id="projectalign"><div id="projectname">Imprint</div></td></tr></tbody></table></div>
                    <div id="navrow1" class="tabs"><ul class="tablist"><li><a href="i.html"><span>Wayfinding</span></a></li><li><a href="p.html"><span>Lookup leaf</span></a></li></ul></div>
                    <div id="nav-path" class="navpath"><ul><li class="navelem"><a class="el" href="d.html">Wayfinding</a></li></ul></div></div>
                    <div class="contents">%s</div><hr class="footer"><address class="footer"><small>Imprint powered</small></address></body></html>
                    """
                            .formatted(body(page));
        }

        @Override
        String heading(Heading heading) {
            return "<a id=\"search\" name=\"search\"></a><h%1$d class=\"memtitle\"><span class=\"permalink\"><a href=\"#search\">&#9670;&nbsp;</a></span>%2$s</h%1$d>"
                    .formatted(heading.level(), escaped(heading.text()));
        }

        @Override
        String code(Code code) {
            return "<div class=\"fragment\"><pre class=\"fragment\">%s</pre></div>"
                    .formatted(escaped(code.text()));
        }

        @Override
        String definition(Definition term) {
            return "<dl class=\"section return\"><dt>%s</dt><dd>%s</dd></dl>"
                    .formatted(escaped(term.term()), escaped(term.text()));
        }
    },

    GITBOOK {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body><div class="book"><div class="book-summary"><div id="book-search-input" role="search"><input></div>
                    <nav role="navigation"><ul class="summary">%s</ul></nav></div><div class="book-body"><div class="body-inner">
                    <div class="book-header" role="navigation"><h1><a href="..">Imprint</a></h1></div><div class="page-wrapper" tabindex="-1" role="main">
                    <div class="page-inner"><div id="book-search-results"><section class="normal markdown-section">%s</section></div></div></div></div>
                    <a href="%s" class="navigation navigation-next" aria-label="Next"></a></div></div></body></html>
                    """
                            .formatted(menu(all), body(page), file(next(page, all)));
        }

        @Override
        String heading(Heading heading) {
            return "<h%1$d id=\"share\">%2$s</h%1$d>"
                    .formatted(heading.level(), escaped(heading.text()));
        }
    },

    /** As in Docsy: main has sidebars, the table of contents and feedback. */
    HUGO {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body class="td-page"><header><nav class="td-navbar"><a href="/">Imprint</a></nav></header><div class="container-fluid td-outer"><div class="td-main"><div class="row">
                    <aside class="col-12 td-sidebar"><div id="td-sidebar-menu" class="td-sidebar__inner"><form class="td-sidebar__search"><input></form>
                    <nav class="td-sidebar-nav"><ul>%s</ul></nav></div></aside>
                    <aside class="td-sidebar-toc"><div class="td-page-meta"><a href="e.html">Amend leaf</a><a href="n.html">Lookup</a></div><div class="td-toc"><nav id="TableOfContents"><ul><li><a href="#a">Wayfinding entry</a></li></ul></nav></div></aside>
                    <main class="col-12" role="main"><nav aria-label="breadcrumb" class="td-breadcrumbs"><ol class="breadcrumb"><li>Wayfinding</li></ol></nav>
                    <div class="td-content">%s<div class="td-page-meta__lastmod">Imprint refreshed</div></div></main></div></div>
                    <footer class="td-footer"><div>Imprint holders</div></footer></div></body></html>
                    """
                            .formatted(menu(all), body(page));
        }

        @Override
        String code(Code code) {
            return "<div class=\"highlight\"><pre tabindex=\"0\"><code class=\"language-%1$s\" data-lang=\"%1$s\">%2$s</code></pre></div>"
                    .formatted(code.language(), escaped(code.text()));
        }

        @Override
        String note(Note note) {
            return "<div class=\"alert alert-info\" role=\"alert\"><h4"
                    + " class=\"alert-heading\">Note</h4>"
                    + escaped(note.text())
                    + "</div>";
        }

        @Override
        String footnote(Footnote note) {
            return "<div class=\"footnotes\" role=\"doc-endnotes\"><hr><ol><li id=\"fn:%d\"><p>%s</p></li></ol></div>"
                    .formatted(note.number(), escaped(note.text()));
        }
    },

    MEDIAWIKI {
        @Override
        String page(Page page, List<Page> all) {
            return head(page)
                    + """
                    <body class="mediawiki ltr"><div id="mw-page-base"></div><div id="content" class="mw-body" role="main"><div id="siteNotice">Imprint toggle</div>
                    %s<div id="bodyContent" class="mw-body-content"><div id="contentSub">Wayfinding from Imprint</div>
                    <a class="mw-jump-link" href="#mw-head">Skipover</a>
                    <div class="mw-parser-output"><div id="toc" class="toc" role="navigation"><h2>Wayfinding</h2><ul><li><a href="#a">Wayfinding entry</a></li></ul></div>%s</div>
                    <div class="printfooter">Imprint <a href="x.html">leaf</a></div><div id="catlinks" class="catlinks"><a href="c.html">Filed</a>: <a href="d.html">Wayfinding</a></div></div></div>
                    <div id="mw-navigation"><h2>Wayfinding menu</h2><div id="mw-panel"><div role="navigation"><h3>Lookup</h3><ul>%s</ul></div></div></div>
                    <div id="footer" role="contentinfo"><ul><li>Leaf refreshed</li></ul></div></body></html>
                    """
                            .formatted(
                                    part(page.parts().getFirst()),
                                    parts(page.parts().subList(1, page.parts().size())),
                                    menu(all));
        }

        @Override
        String heading(Heading heading) {
            return "<h%1$d id=\"firstHeading\"><span class=\"mw-headline\" id=\"Comments\">%2$s</span></h%1$d>"
                    .formatted(heading.level(), escaped(heading.text()));
        }

        @Override
        String footnote(Footnote note) {
            return "<ol class=\"references\"><li id=\"cite_note-%d\"><span class=\"reference-text\">%s</span></li></ol>"
                    .formatted(note.number(), escaped(note.text()));
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

    String definition(Definition term) {
        return "<dl class=\"py function\"><dt class=\"sig\" id=\"%s\">%s</dt><dd><p>%s</p></dd></dl>"
                .formatted(term.id(), escaped(term.term()), escaped(term.text()));
    }

    String footnote(Footnote note) {
        return "<aside class=\"footnote brackets\" id=\"search-%1$d\" role=\"doc-footnote\"><span class=\"label\">[%1$d]</span><p>%2$s</p></aside>"
                .formatted(note.number(), escaped(note.text()));
    }

    String sidebar(Sidebar sidebar) {
        return "<aside class=\"sidebar\"><p class=\"sidebar-title\">%s</p>%s</aside>"
                .formatted(escaped(sidebar.title()), code(sidebar.code()));
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
            case Definition term -> definition(term);
            case Footnote footnote -> footnote(footnote);
            case Sidebar sidebar -> sidebar(sidebar);
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
