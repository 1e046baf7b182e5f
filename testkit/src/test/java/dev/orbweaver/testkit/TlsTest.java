package dev.orbweaver.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Set;

import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Tests a web with https URLs, with a client that trusts the testkit's authority. */
class TlsTest {

    private static SimulatedWeb web;
    private static SimulatedWebServer server;
    private static SSLContext trusting;

    @BeforeAll
    static void serve() throws Exception {
        web = SimulatedWeb.of(WebSpec.light(5, 20, 200).with(Hazard.TLS));
        server = SimulatedWebServer.start(web, ServerSettings.defaults());
        var pem = server.trustedCertificate().orElseThrow();
        var authority =
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("lab", authority);
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        trusting = SSLContext.getInstance("TLS");
        trusting.init(null, trust.getTrustManagers(), null);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aClientThatTrustsTheAuthorityIsServedUnderEveryName() throws IOException {
        for (var host = 0; host < web.hostCount(); host++) {
            if (web.hosts().isLive(host)) {
                var name = web.hostName(host);
                var expected = web.response(web.pages().first(host), server.port(), 1, false);
                try (var httpTestClient = connect(trusting, name, List.of(name))) {
                    httpTestClient.sendTarget(name + ":" + server.port(), "/", "");
                    assertThat(httpTestClient.receive().body()).isEqualTo(expected.body());
                }
            }
        }
        var arrivals = server.auditor().requestCounts();
        assertThat(arrivals).containsKey(web.hubUrl(server.port()));
    }

    @Test
    void aClientWithoutTrustOrSniIsNotServed() throws Exception {
        var name = web.hostName(0);
        assertThatThrownBy(() -> connect(SSLContext.getDefault(), name, List.of(name)))
                .isInstanceOf(SSLException.class);
        assertThatThrownBy(() -> connect(trusting, name, List.of()))
                .isInstanceOf(SSLException.class);
    }

    @Test
    void everyUrlOfTheWebIsHttps() {
        var terms = CrawlAssumptions.polite(CrawlAssumptions.ANY, Set.of());
        var groundTruth =
                GroundTruth.of(web, server.port(), List.of(web.hubUrl(server.port())), terms);
        assertThat(groundTruth.pages()).isNotEmpty().allMatch(url -> url.startsWith("https://"));
        assertThat(groundTruth.sitemaps()).isNotEmpty().allMatch(url -> url.startsWith("https://"));
        for (var page = 0; page < web.pageCount(); page++) {
            var html =
                    new String(web.response(page, 1, 1, false).body(), StandardCharsets.ISO_8859_1);
            assertThat(html).doesNotContainIgnoringCase("http://");
        }
    }

    @Test
    void aWebWithoutTlsHasNoCertificate() throws IOException {
        var plain = SimulatedWeb.of(WebSpec.light(5, 20, 200));
        try (var other = SimulatedWebServer.start(plain, ServerSettings.defaults())) {
            assertThat(other.trustedCertificate()).isEmpty();
        }
    }

    /** Opens a connection to a host, with or without SNI. */
    private static HttpTestClient connect(SSLContext context, String name, List<String> names)
            throws IOException {
        var address = web.resolve(name).orElseThrow();
        var plain = new Socket(address, server.port());
        var factory = context.getSocketFactory();
        var socket = (SSLSocket) factory.createSocket(plain, name, server.port(), true);
        var parameters = socket.getSSLParameters();
        parameters.setServerNames(names.stream().<SNIServerName>map(SNIHostName::new).toList());
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        try {
            socket.startHandshake();
            return new HttpTestClient(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
