package dev.orbweaver.testkit;

import org.jspecify.annotations.Nullable;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;

/** Server certificates of one test authority, each with one defect. */
public final class InvalidCertificates {

    /** The defect of a certificate. */
    public enum Defect {
        NONE,
        EXPIRED,
        WRONG_NAME,
        SELF_SIGNED,
        /** A valid certificate followed by a chain of a thousand others. */
        HUGE_CHAIN,
        /** No certificate: the server does not speak TLS although its URL is https. */
        NO_HANDSHAKE
    }

    private static final int CHAIN = 1_000;

    private final Instant now = Instant.now();
    private final CertificateAuthority authority = new CertificateAuthority(now);

    /** Returns a trust store with the authority's certificate. */
    public KeyStore trust() throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("lab", authority.authorityCertificate());
        return store;
    }

    /** Returns the TLS context of a server for the host. */
    public SSLContext server(Defect defect, String host) throws Exception {
        var chain = chain(defect, host).toArray(X509Certificate[]::new);
        var tls = SSLContext.getInstance("TLS");
        tls.init(
                new KeyManager[] {new OneChain(chain, authority.serverKey().getPrivate())},
                null,
                null);
        return tls;
    }

    /** Sends one chain to every client; a key store would reject a chain with repetitions. */
    private static final class OneChain extends X509ExtendedKeyManager {

        private final X509Certificate[] chain;
        private final PrivateKey key;

        OneChain(X509Certificate[] chain, PrivateKey key) {
            this.chain = chain;
            this.key = key;
        }

        @Override
        public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return type.equals("EC") ? "server" : null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[] {"server"};
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] types, Principal[] issuers, Socket socket) {
            return null;
        }
    }

    private List<X509Certificate> chain(Defect defect, String host)
            throws GeneralSecurityException {
        var own = new CertificateAuthority.Signer(host, authority.serverKey());
        var chain = new ArrayList<X509Certificate>();
        switch (defect) {
            case NONE -> chain.add(leaf(authority.signer(), host, 365));
            case EXPIRED -> chain.add(leaf(authority.signer(), host, -1));
            case WRONG_NAME -> chain.add(leaf(authority.signer(), "other.example", 365));
            case SELF_SIGNED -> chain.add(leaf(own, host, 365));
            case HUGE_CHAIN -> {
                chain.add(leaf(authority.signer(), host, 365));
                var repeated = new X509Certificate[CHAIN];
                Arrays.fill(repeated, authority.authorityCertificate());
                chain.addAll(List.of(repeated));
            }
            case NO_HANDSHAKE ->
                    throw new IllegalArgumentException("NO_HANDSHAKE has no certificate");
        }
        return chain;
    }

    private X509Certificate leaf(CertificateAuthority.Signer signer, String host, int daysLeft)
            throws GeneralSecurityException {
        var valid =
                new CertificateAuthority.Validity(
                        now.minus(Duration.ofDays(400)), now.plus(Duration.ofDays(daysLeft)));
        return authority.certificate(
                signer,
                valid,
                host,
                authority.serverKey(),
                CertificateAuthority.alternativeName(host));
    }
}
