package dev.orbweaver.internal.traps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orbweaver.internal.traps.TrapHarness.FakePage;
import dev.orbweaver.model.Hop;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** Crawler traps, and sites that only resemble them. */
class TrapDetectorTest {

    /** The text that is on every page of a site. */
    private static final String CHROME = words(new Random(1), 150);

    private static String words(Random random, int count) {
        var words = new StringBuilder();
        for (var i = 0; i < count; i++) {
            var length = 2 + random.nextInt(9);
            for (var j = 0; j < length; j++) {
                words.append((char) ('a' + random.nextInt(26)));
            }
            words.append(' ');
        }
        return words.toString();
    }

    private static String words(String url, int count) {
        return words(new Random(url.hashCode()), count);
    }

    private static TrapHarness crawl(Function<String, FakePage> web) {
        return new TrapHarness(TrapSettings.DEFAULT, web).crawl("http://www.a.test/", 3_000);
    }

    private static int number(String url) {
        return Integer.parseInt(url.replaceAll(".*?(\\d+)\\D*$", "$1"));
    }

    private static FakePage front(String... links) {
        return new FakePage("Front", CHROME + words("front", 50), links);
    }

    private static boolean isFront(String url) {
        return url.endsWith(".test/");
    }

    @Test
    void aCalendarThatLinksOnlyToItselfIsAbandoned() {
        var scene =
                crawl(
                        url ->
                                isFront(url)
                                        ? front("/cal/1")
                                        : new FakePage(
                                                "Day " + number(url),
                                                CHROME + "nothing on day " + number(url),
                                                "/cal/" + (number(url) + 1),
                                                "/"));
        assertThat(scene.fetched).hasSizeBetween(5, 25);
        assertThat(scene.givenUp).hasSize(1);
        assertThat(scene.trapDetector.serialize()).contains("like http://www.a.test/cal/");
    }

    @Test
    void aBudgetWithoutEndGivesNothingUp() {
        var endless = new TrapSettings(true, Integer.MAX_VALUE);
        var scene =
                new TrapHarness(
                                endless,
                                url ->
                                        isFront(url)
                                                ? front("/cal/1")
                                                : new FakePage(
                                                        "Day",
                                                        CHROME + "nothing",
                                                        "/cal/" + (number(url) + 1)))
                        .crawl("http://www.a.test/", 200);
        assertThat(scene.fetched).hasSizeGreaterThanOrEqualTo(200);
    }

    @Test
    void aCatalogueWhoseProductsLeadToEachOtherComesThrough() {
        var scene =
                crawl(
                        url -> {
                            if (isFront(url)) {
                                return front("/product/1");
                            }
                            var n = number(url);
                            // Three parts template, one part product: similar text, different
                            // titles.
                            return new FakePage(
                                    words(url, 3),
                                    CHROME + words(url, 50),
                                    "/product/" + Math.min(900, n + 1),
                                    "/product/" + Math.min(900, 2 * n));
                        });
        assertThat(scene.givenUp).isEmpty();
        assertThat(scene.fetched).hasSize(901);
    }

    @Test
    void aSiteWithOneTitleForAllItsPagesComesThrough() {
        var chrome = words(new Random(2), 600);
        var scene =
                crawl(
                        url -> {
                            if (isFront(url)) {
                                return front("/thread?t=1");
                            }
                            var n = number(url);
                            return new FakePage(
                                    "Our forum",
                                    chrome + words(url, 80),
                                    "/thread?t=" + Math.min(900, n + 1),
                                    "/thread?t=" + Math.min(900, 2 * n));
                        });
        assertThat(scene.givenUp).isEmpty();
        assertThat(scene.fetched).hasSize(901);
    }

    @Test
    void theManyPagesOfAListComeThroughForWhatTheyLeadTo() {
        var scene =
                crawl(
                        url -> {
                            if (isFront(url)) {
                                return front("/list?page=1");
                            }
                            if (url.contains("/item/")) {
                                return new FakePage(words(url, 2), CHROME + words(url, 60), "/");
                            }
                            var n = number(url);
                            return new FakePage(
                                    "Page " + n,
                                    CHROME + "page " + n,
                                    "/list?page=" + Math.min(400, n + 1),
                                    "/item/" + 2 * n,
                                    "/item/" + (2 * n + 1));
                        });
        assertThat(scene.givenUp).isEmpty();
        assertThat(scene.fetched).hasSize(1 + 400 + 800);
    }

    @Test
    void aMailArchiveByDateComesThrough() {
        var scene =
                crawl(
                        url -> {
                            if (isFront(url)) {
                                return front("/mail/2001-01/");
                            }
                            var month = url.substring("http://www.a.test/mail/".length());
                            if (month.length() > "2001-01/".length()) {
                                return new FakePage(words(url, 4), words(url, 120), "./");
                            }
                            var at =
                                    Integer.parseInt(month, 0, 4, 10) * 12
                                            + Integer.parseInt(month, 5, 7, 10);
                            var next = Math.min(2020 * 12 + 1, at + 1);
                            var links = new ArrayList<String>();
                            links.add(
                                    "/mail/%d-%02d/"
                                            .formatted((next - 1) / 12, (next - 1) % 12 + 1));
                            var subjects = new StringBuilder("Archive ");
                            for (var i = 0; i < 4; i++) {
                                links.add("msg%03d.html".formatted(i));
                                subjects.append(words(url + i, 5));
                            }
                            return new FakePage(
                                    "Archive of " + month, subjects.toString(), links, List.of());
                        });
        assertThat(scene.givenUp).isEmpty();
        assertThat(scene.fetched).hasSizeGreaterThan(1_000);
    }

    @Test
    void aGalleryWithoutWordsComesThroughForItsPictures() {
        var scene =
                crawl(
                        url ->
                                isFront(url)
                                        ? front("/photo/1")
                                        : new FakePage(
                                                "Photo " + number(url),
                                                "previous next",
                                                List.of("/photo/" + Math.min(300, number(url) + 1)),
                                                List.of("/img/" + number(url) + ".jpg")));
        assertThat(scene.givenUp).isEmpty();
        assertThat(scene.fetched).hasSize(301);
    }

    @Test
    void aWikiComesThrough() {
        var names = words(new Random(5), 500).split(" ", -1);
        var scene =
                crawl(
                        url -> {
                            if (isFront(url)) {
                                return front("/wiki/" + names[0]);
                            }
                            var random = new Random(url.hashCode());
                            var links = new ArrayList<String>();
                            for (var i = 0; i < 8; i++) {
                                links.add("/wiki/" + names[random.nextInt(500)]);
                            }
                            return new FakePage(
                                    url.substring(url.lastIndexOf('/') + 1) + " - Wiki",
                                    CHROME + words(url, 40),
                                    links,
                                    List.of());
                        });
        assertThat(scene.givenUp).isEmpty();
        assertThat(scene.fetched).hasSizeGreaterThan(450);
    }

    @Test
    void missingPagesAreAbandonedAndThePagesThatLinkToThemAreNot() {
        var scene =
                crawl(
                        url -> {
                            if (isFront(url)) {
                                return front("/page/1", "/gone/1");
                            }
                            if (url.contains("/gone/")) {
                                return new FakePage("Sorry", CHROME + "we looked everywhere", "/");
                            }
                            var n = number(url);
                            return new FakePage(
                                    words(url, 3),
                                    CHROME + words(url, 60),
                                    "/page/" + Math.min(300, n + 1),
                                    "/gone/" + n);
                        });
        assertThat(scene.givenUp).allMatch(url -> url.contains("/gone/")).hasSizeGreaterThan(270);
        assertThat(scene.fetched).hasSizeBetween(301, 330);
    }

    @Test
    void aMillionNamesBelowADomainCostNoMoreThanOneSite() {
        for (var letters : new boolean[] {false, true}) {
            Function<String, FakePage> farm =
                    url -> {
                        if (url.equals("http://www.a.test/")) {
                            return front("http://" + name(1, letters) + ".a.test/");
                        }
                        var n = 1L + Math.floorMod(url.hashCode() * 31L, 1_000_000);
                        var one = name(n, letters);
                        var other = name(n * 7 % 1_000_000, letters);
                        return new FakePage(
                                "Welcome to " + url.substring(7, url.indexOf('.')),
                                CHROME + one,
                                "http://" + one + ".a.test/",
                                "http://" + other + ".a.test/");
                    };
            var scene = crawl(farm);
            assertThat(scene.fetched).as("letters %s", letters).hasSizeLessThan(70);
        }
    }

    private static String name(long number, boolean letters) {
        var name = new StringBuilder("n");
        Long.toString(number)
                .chars()
                .forEach(c -> name.append((char) (letters ? c - '0' + 'a' : c)));
        return name.toString();
    }

    @Test
    void theManyHostsOfAUniversityComeThroughThoughOneHasACalendar() {
        var scene =
                crawl(
                        url -> {
                            if (url.contains("/cal/")) {
                                return new FakePage(
                                        "Day " + number(url),
                                        CHROME + number(url),
                                        "/cal/" + (number(url) + 1));
                            }
                            var links = new ArrayList<String>();
                            if (url.equals("http://www.a.test/")) {
                                for (var i = 0; i < 100; i++) {
                                    links.add("http://dept" + i + ".a.test/");
                                    links.add("http://" + name(100 + i, true) + ".a.test/");
                                }
                            } else if (isFront(url)) {
                                links.add("/cal/1");
                                for (var i = 0; i < 10; i++) {
                                    links.add("/staff/" + i);
                                }
                            }
                            return new FakePage(
                                    words(url, 3), CHROME + words(url, 60), links, List.of());
                        });
        assertThat(scene.givenUp).allMatch(url -> url.contains("/cal/"));
        assertThat(scene.fetched).filteredOn(url -> !url.contains("/cal/")).hasSize(2_201);
    }

    @Test
    void trapsThatLeadToEachOtherExcuseEachOtherForAWhileOnly() {
        var scene =
                crawl(
                        url -> {
                            if (isFront(url)) {
                                return front("/cal/1", "/visit/1");
                            }
                            var n = number(url);
                            return url.contains("/cal/")
                                    ? new FakePage(
                                            "Day " + n, CHROME, "/cal/" + (n + 1), "/visit/" + n)
                                    : new FakePage(
                                            "Visit " + n,
                                            CHROME,
                                            "/visit/" + (7 * n % 9973),
                                            "/cal/" + 3 * n % 9973);
                        });
        assertThat(scene.fetched).hasSizeLessThan(80);
    }

    @Test
    void trapStateIsRestoredAndALargerBudgetReopensPatterns() {
        Function<String, FakePage> web =
                url ->
                        isFront(url)
                                ? front("/cal/1")
                                : new FakePage(
                                        "Day " + number(url), CHROME, "/cal/" + (number(url) + 1));
        var learned = crawl(web).trapDetector.serialize();
        var day = TrapHarness.URLS.parse("http://www.a.test/cal/5000").orElseThrow();
        var next = new TrapDetector(TrapSettings.DEFAULT);
        assertThat(next.trapReason(day, Hop.LINK)).isEmpty();
        next.restore(learned);
        assertThat(next.trapReason(day, Hop.LINK)).isPresent();
        assertThat(next.trapReason(day, Hop.SEED)).isEmpty();
        assertThat(next.serialize().lines().filter(line -> line.contains("/cal/5000"))).hasSize(1);
        var richer = new TrapDetector(new TrapSettings(true, 2 * TrapSettings.BUDGET));
        richer.restore(learned + "no line at all\n");
        assertThat(richer.trapReason(day, Hop.LINK)).isEmpty();
        var off = new TrapDetector(TrapSettings.OFF);
        off.restore(learned);
        assertThat(off.trapReason(day, Hop.LINK)).isEmpty();
    }

    @Test
    void aDoubtfulPatternLosesPriorityBeforeItIsAbandoned() {
        var web =
                (Function<String, FakePage>)
                        url ->
                                isFront(url)
                                        ? front("/cal/1")
                                        : new FakePage(
                                                "Day " + number(url),
                                                CHROME,
                                                "/cal/" + (number(url) + 1));
        var lowered = new ArrayList<Integer>();
        for (var pages = 1; pages < 20; pages++) {
            var scene =
                    new TrapHarness(TrapSettings.DEFAULT, web).crawl("http://www.a.test/", pages);
            lowered.add(
                    scene.trapDetector.priorityPenalty(
                            TrapHarness.URLS.parse("http://www.a.test/cal/777").orElseThrow(),
                            Hop.LINK,
                            0));
        }
        assertThat(lowered).isSorted().contains(0, 50, 100);
    }

    @Test
    void aFullTableEvictsTheLeastRecentlyUsedButNoExhaustedPattern() {
        var table = new UrlPatternTable(8);
        var spent = table.getOrCreate(1, UrlPattern.Kind.PATH, 10);
        spent.balance = -10;
        for (var key = 2; key < 100; key++) {
            var _ = table.getOrCreate(key, UrlPattern.Kind.PATH, 10);
        }
        assertThat(table.find(1)).isSameAs(spent);
        assertThat(table.find(2)).isNull();
        assertThat(table.find(99)).isNotNull();
        assertThat(table.all()).hasSize(8);
    }
}
