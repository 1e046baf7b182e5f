package dev.orbweaver.e2e.hostile;

import static dev.orbweaver.e2e.hostile.CostLimits.DEFAULT;
import static dev.orbweaver.e2e.hostile.HostileHost.hostile;
import static dev.orbweaver.e2e.hostile.RawResponses.front;
import static dev.orbweaver.e2e.hostile.RawResponses.html;

import dev.orbweaver.internal.fetch.TestServer.ClientConnection;
import dev.orbweaver.testkit.InvalidCertificates.Defect;

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
                        .within(DEFAULT.requests(0))
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
                        .within(DEFAULT.requests(0))
                        .expect(HostileNames::nothingStored),
                tls("tls-valid", "a good certificate, for comparison", Defect.NONE).expectPage("/"),
                refused("tls-expired", "a certificate that has expired", Defect.EXPIRED),
                refused("tls-wrong-name", "a certificate for another name", Defect.WRONG_NAME),
                refused("tls-self-signed", "a certificate signed by itself", Defect.SELF_SIGNED),
                refused("tls-huge-chain", "a chain of 1,000 certificates", Defect.HUGE_CHAIN),
                hostile(
                                "tls-closes",
                                "closes within the handshake",
                                _ ->
                                        clientConnection ->
                                                clientConnection.socket().getInputStream().read())
                        .with(Defect.NO_HANDSHAKE)
                        .within(DEFAULT.requests(0))
                        .expect(HostileNames::nothingStored),
                hostile(
                                "tls-stalls",
                                "never answers the handshake",
                                _ -> ClientConnection::waitForClose)
                        .with(Defect.NO_HANDSHAKE)
                        .within(DEFAULT.requests(0))
                        .expect(HostileNames::nothingStored));
    }

    private static HostileHost tls(String name, String serves, Defect defect) {
        return hostile(name, serves, _ -> front(html("<title>Secure</title>"))).with(defect);
    }

    private static HostileHost refused(String name, String serves, Defect defect) {
        return tls(name, serves, defect)
                .within(DEFAULT.requests(0))
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
                .within(DEFAULT.cpu(6_000))
                .expect("failed", "dns");
    }

    private static Optional<String> nothingStored(HostileOutcome hostileOutcome) {
        return hostileOutcome.count(line -> line.path("kind").asString("").equals("page")) == 0
                ? Optional.empty()
                : Optional.of("a page was stored");
    }
}
