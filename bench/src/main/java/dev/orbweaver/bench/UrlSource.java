package dev.orbweaver.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.orbweaver.internal.frontier.Candidate;
import dev.orbweaver.internal.url.FingerprintKey;
import dev.orbweaver.internal.url.Fingerprints;
import dev.orbweaver.model.CrawlUrl;
import dev.orbweaver.model.Hop;

import java.util.ArrayList;
import java.util.List;

/**
 * Generates URLs like those of a crawl of many sites, each from a number. Hosts follow a Zipf
 * distribution; paths have a few directories, words, dates and numbers; neighbours are similar. The
 * mean length is about 70 characters. Different numbers give different URLs.
 */
final class UrlSource {

    /** The number of URLs found on one page, mostly of one host and in few directories. */
    private static final int TOGETHER = 20;

    private static final String[] WORDS =
            ("about account album answer archive article author basic blog board book build cache"
                 + " catalog chapter city class cloud code color comment company contact course"
                 + " daily data design detail device digital display docs download edition energy"
                 + " engine event export family feature file forum free gallery game garden general"
                 + " global group guide health history home house image index info install item"
                 + " journal kernel kitchen language learn library light list local machine"
                 + " magazine manual market member mobile model module money movie music name"
                 + " network news note office online order page paper parent partner photo place"
                 + " planet player policy post press price print product profile project public"
                 + " question recipe record region release report research review river room school"
                 + " science season section server service shop signal site small social source"
                 + " space speech sport station story street student summer support system table"
                 + " teacher team test theme thread tool topic tour town trade travel tree update"
                 + " user valley value version video view village water weather week window winter"
                 + " wood work world writer year young zone")
                    .split(" ");

    private static final String[] ENDS = {"com", "org", "net", "de", "co.uk", "fr", "io", "edu"};

    private final int hosts;
    private final double logHosts;

    UrlSource(int hosts) {
        this.hosts = hosts;
        this.logHosts = Math.log(hosts + 1.0);
    }

    List<Candidate> candidates(long from, int count) {
        var candidates = new ArrayList<Candidate>(count);
        for (var number = from; number < from + count; number++) {
            candidates.add(new Candidate(url(number), Hop.LINK, (int) (2 + number / 20 % 4), 0));
        }
        return candidates;
    }

    CrawlUrl url(long number) {
        var page = number / TOGETHER;
        var dice = mix(page * 31 + 7);
        var host = host(number % TOGETHER < 16 ? mix(page) : mix(number + 13));
        var text = new StringBuilder(96);
        text.append((host & 7) == 0 ? "http://" : "https://").append(name(host)).append('/');
        text.append(word(dice)).append('/');
        switch ((int) (dice >>> 40 & 3)) {
            case 0 -> text.append(2005 + (dice >>> 44 & 15)).append('/').append(1 + (dice & 7));
            case 1 -> text.append(word(dice >>> 20));
            default -> text.append(word(dice >>> 20)).append('/').append(word(dice >>> 30));
        }
        var own = mix(number);
        text.append('/').append(word(own)).append('-').append(word(own >>> 9));
        if ((own >>> 18 & 3) == 0) {
            text.append("?id=").append(number);
        } else {
            text.append('-').append(word(own >>> 27)).append('-').append(number).append(".html");
        }
        var bytes = text.toString().getBytes(ISO_8859_1);
        return new CrawlUrl(
                text.toString(),
                name(host),
                Fingerprints.of(FingerprintKey.PUBLIC, bytes, 0, bytes.length));
    }

    /** Returns a rank by the inverse cumulative Zipf distribution with exponent 1. */
    private int host(long dice) {
        var uniform = (dice >>> 11) * 0x1p-53;
        return Math.min(hosts, (int) Math.exp(uniform * logHosts)) - 1;
    }

    private static String name(int host) {
        var dice = mix(host + 1_000_003L);
        var end = ENDS[(int) (dice >>> 50) % ENDS.length];
        var www = (dice >>> 33 & 1) == 0 ? "www." : "";
        return www + word(dice) + word(dice >>> 12) + host + "." + end;
    }

    private static String word(long dice) {
        return WORDS[(int) ((dice & 0xFFFFF) % WORDS.length)];
    }

    static long mix(long value) {
        var mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
