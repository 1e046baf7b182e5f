package dev.orbweaver.zoo;

import static dev.orbweaver.zoo.Bound.USUAL;
import static dev.orbweaver.zoo.HostileHost.hostile;
import static dev.orbweaver.zoo.Replies.front;
import static dev.orbweaver.zoo.Replies.html;

import dev.orbweaver.fetch.TestServer.Visitor;
import dev.orbweaver.lab.OddCertificates.Oddity;

import java.util.List;
import java.util.Optional;

/** Names that are not answered for or lead elsewhere, and certificates that are not good. */
final class HostileNames {

    private HostileNames() {}

    static List<HostileHost> all() {
        return List.of(
                silent("dns-silent", 200),
                silent("dns-silent-hosts", 5_000).stop(),
                hostile(
                                "dns-garbage",
                                "a name server that sends broken answers",
                                _ -> front(html("x")))
                        .named((_, _) -> List.of("garbage"))
                        .within(USUAL.requests(0))
                        .expect("failed", "dns"),
                hostile(
                                "dns-rebind",
                                "a name whose address changes to a private one",
                                _ -> front(html("<title>Inside</title>")))
                        .named(
                                (_, question) ->
                                        List.of(
                                                question % 2 == 1
                                                        ? "127.0.0.2"
                                                        : HostileHost.ADDRESS))
                        .notAllowed()
                        .within(USUAL.requests(0))
                        .expect(HostileNames::nothingStored),
                tls("tls-valid", "a good certificate, for comparison", Oddity.NONE).expectPage("/"),
                refused("tls-expired", "a certificate that has expired", Oddity.EXPIRED),
                refused("tls-wrong-name", "a certificate for another name", Oddity.WRONG_NAME),
                refused("tls-self-signed", "a certificate signed by itself", Oddity.SELF_SIGNED),
                refused("tls-huge-chain", "a chain of 1,000 certificates", Oddity.HUGE_CHAIN),
                hostile(
                                "tls-closes",
                                "closes within the handshake",
                                _ -> visitor -> visitor.socket().getInputStream().read())
                        .with(Oddity.NO_HANDSHAKE)
                        .within(USUAL.requests(0))
                        .expect(HostileNames::nothingStored),
                hostile("tls-stalls", "never answers the handshake", _ -> Visitor::waitForClose)
                        .with(Oddity.NO_HANDSHAKE)
                        .within(USUAL.requests(0))
                        .expect(HostileNames::nothingStored));
    }

    private static HostileHost tls(String name, String serves, Oddity oddity) {
        return hostile(name, serves, _ -> front(html("<title>Secure</title>"))).with(oddity);
    }

    private static HostileHost refused(String name, String serves, Oddity oddity) {
        return tls(name, serves, oddity)
                .within(USUAL.requests(0))
                .expect(HostileNames::nothingStored);
    }

    private static List<String> here() {
        return List.of(HostileHost.ADDRESS);
    }

    private static HostileHost silent(String name, int count) {
        var text = new StringBuilder("<title>Names</title>");
        for (var i = 0; i < count; i++) {
            text.append("<a href=http://n").append(i).append(".zoo.test/>n</a>");
        }
        return hostile(
                        name,
                        "links to " + count + " names that are never answered for",
                        _ -> front(html(text.toString())))
                .named((host, _) -> host.startsWith(name + ".") ? here() : List.of("silence"))
                .within(USUAL.cpu(6_000))
                .expect("failed", "dns");
    }

    private static Optional<String> nothingStored(Outcome outcome) {
        return outcome.count(line -> line.path("kind").asString("").equals("page")) == 0
                ? Optional.empty()
                : Optional.of("a page was stored");
    }
}
