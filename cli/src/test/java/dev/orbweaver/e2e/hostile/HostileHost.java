package dev.orbweaver.e2e.hostile;

import dev.orbweaver.internal.fetch.TestServer;
import dev.orbweaver.testkit.InvalidCertificates.Defect;

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
 * @param addressScript what the name server says of names below {@code zoo.test}
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
        AddressScript addressScript,
        Optional<Defect> certificate,
        List<String> options,
        boolean privately,
        boolean stopped,
        List<String> afterwards,
        CostLimits costLimits,
        Check check) {

    /** Where hostile hosts are. */
    static final String ADDRESS = "127.0.0.3";

    /** What a host does to a connection. */
    interface Site {
        TestServer.ConnectionHandler open(Random random) throws Exception;
    }

    /** What is said of a name: addresses, or a word of the test name server. */
    interface AddressScript {
        List<String> addresses(String name, int question);
    }

    /** What is wrong with an outcome; nothing when it is as it must be. */
    interface Check {
        Optional<String> problem(HostileOutcome hostileOutcome);
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
                CostLimits.DEFAULT,
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
                addressScript,
                certificate,
                options,
                privately,
                stopped,
                afterwards,
                costLimits,
                check);
    }

    HostileHost named(AddressScript said) {
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
                costLimits,
                check);
    }

    HostileHost with(Defect defect) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                addressScript,
                Optional.of(defect),
                options,
                privately,
                stopped,
                afterwards,
                costLimits,
                check);
    }

    HostileHost with(String... more) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                addressScript,
                certificate,
                List.of(more),
                privately,
                stopped,
                afterwards,
                costLimits,
                check);
    }

    HostileHost notAllowed() {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                addressScript,
                certificate,
                options,
                true,
                stopped,
                afterwards,
                costLimits,
                check);
    }

    HostileHost stop() {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                addressScript,
                certificate,
                options,
                privately,
                true,
                afterwards,
                costLimits,
                check);
    }

    HostileHost then(String... commands) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                addressScript,
                certificate,
                options,
                privately,
                stopped,
                List.of(commands),
                costLimits,
                check);
    }

    HostileHost within(CostLimits limit) {
        return new HostileHost(
                name,
                serves,
                site,
                entries,
                addressScript,
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
                addressScript,
                certificate,
                options,
                privately,
                stopped,
                afterwards,
                costLimits,
                wanted);
    }

    /** The page log must have a line of this kind and cause. */
    HostileHost expect(String kind, String cause) {
        return expect(
                hostileOutcome ->
                        hostileOutcome.count(HostileOutcome.is(kind, cause)) > 0
                                ? Optional.empty()
                                : Optional.of("no line " + kind + ":" + cause));
    }

    /** The page log must have a stored page whose URL ends so. */
    HostileHost expectPage(String path) {
        return expect(
                hostileOutcome ->
                        hostileOutcome.count(HostileOutcome.page(path)) > 0
                                ? Optional.empty()
                                : Optional.of("no page " + path));
    }
}
