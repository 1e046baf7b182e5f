package dev.orbweaver.zoo;

import dev.orbweaver.fetch.TestServer;
import dev.orbweaver.lab.OddCertificates.Oddity;

import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A host that attacks its crawler: what it serves, what the crawl of it may cost and what must come
 * of it.
 *
 * @param serves the attack in a few words
 * @param site makes what is done to each connection
 * @param entries paths that the clean host links to
 * @param names what the name server says of names below {@code zoo.test}
 * @param certificate of an https host; without one it is http
 * @param options for the crawl, behind those that all have
 * @param privately whether no private address is allowed, not even the host's own
 * @param stopped whether it has more URLs than time allows, so that the crawl is stopped
 * @param afterwards commands that must work on the crawl's directory afterwards; {@code DIR} is it
 * @param check what is wrong with the outcome, if anything is
 */
public record HostileHost(
        String name,
        String serves,
        Site site,
        List<String> entries,
        Names names,
        Optional<Oddity> certificate,
        List<String> options,
        boolean privately,
        boolean stopped,
        List<String> afterwards,
        Bound bound,
        Check check) {

    /** Where hostile hosts are. */
    static final String ADDRESS = "127.0.0.3";

    /** What a host does to a connection. */
    interface Site {
        TestServer.Talk open(Random random) throws Exception;
    }

    /** What is said of a name: addresses, or a word of the test name server. */
    interface Names {
        List<String> addresses(String name, int question);
    }

    /** What is wrong with an outcome; nothing when it is as it must be. */
    interface Check {
        Optional<String> problem(Outcome outcome);
    }

    /** A host that is linked to by its front page and must be settled with such a line. */
    static HostileHost hostile(String name, String serves, Site site) {
        return new HostileHost(
                name,
                serves,
                site,
                List.of("/"),
                (_, _) -> List.of(ADDRESS),
                Optional.empty(),
                List.of(),
                false,
                false,
                List.of(),
                Bound.USUAL,
                _ -> Optional.empty());
    }

    String authority(int port) {
        return name + ".zoo.test:" + port;
    }

    /** The URLs that the clean host links to. */
    List<String> urls(int port) {
        var scheme = certificate.isPresent() ? "https://" : "http://";
        return entries.stream().map(path -> scheme + authority(port) + path).toList();
    }

    HostileHost at(String... paths) {
        return new HostileHost(
                name,
                serves,
                site,
                List.of(paths),
                names,
                certificate,
                options,
                privately,
                stopped,
                afterwards,
                bound,
                check);
    }

    HostileHost named(Names said) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                said,
                certificate,
                options,
                privately,
                stopped,
                afterwards,
                bound,
                check);
    }

    HostileHost with(Oddity oddity) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                names,
                Optional.of(oddity),
                options,
                privately,
                stopped,
                afterwards,
                bound,
                check);
    }

    HostileHost with(String... more) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                names,
                certificate,
                List.of(more),
                privately,
                stopped,
                afterwards,
                bound,
                check);
    }

    HostileHost notAllowed() {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                names,
                certificate,
                options,
                true,
                stopped,
                afterwards,
                bound,
                check);
    }

    HostileHost stop() {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                names,
                certificate,
                options,
                privately,
                true,
                afterwards,
                bound,
                check);
    }

    HostileHost then(String... commands) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                names,
                certificate,
                options,
                privately,
                stopped,
                List.of(commands),
                bound,
                check);
    }

    HostileHost within(Bound limit) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                names,
                certificate,
                options,
                privately,
                stopped,
                afterwards,
                limit,
                check);
    }

    HostileHost expect(Check wanted) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                names,
                certificate,
                options,
                privately,
                stopped,
                afterwards,
                bound,
                wanted);
    }

    /** The page log must have a line of this kind and cause. */
    HostileHost expect(String kind, String cause) {
        return expect(
                outcome ->
                        outcome.count(Outcome.is(kind, cause)) > 0
                                ? Optional.empty()
                                : Optional.of("no line " + kind + ":" + cause));
    }

    /** The page log must have a stored page whose URL ends so. */
    HostileHost expectPage(String path) {
        return expect(
                outcome ->
                        outcome.count(Outcome.page(path)) > 0
                                ? Optional.empty()
                                : Optional.of("no page " + path));
    }
}
