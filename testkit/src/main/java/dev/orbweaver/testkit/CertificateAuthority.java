package dev.orbweaver.testkit;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import javax.net.ssl.SSLException;

/**
 * A certificate authority of one server. It signs a certificate for each requested name (RFC 6066,
 * section 3), all with one key. The JDK cannot create certificates, so they are encoded here (RFC
 * 5280, section 4.1).
 */
final class CertificateAuthority {

    private static final int CONTEXTS_MAX = 4_096;
    private static final String ISSUER = "Orbweaver laboratory";
    private static final byte[] ECDSA_WITH_SHA256 =
            DerEncoder.sequence(DerEncoder.oid(1, 2, 840, 10_045, 4, 3, 2));
    private static final byte[] COMMON_NAME = DerEncoder.oid(2, 5, 4, 3);
    private static final byte[] BASIC_CONSTRAINTS = DerEncoder.oid(2, 5, 29, 19);
    private static final byte[] SUBJECT_ALTERNATIVE_NAME = DerEncoder.oid(2, 5, 29, 17);
    private static final String NO_SNI_NAME = "no-sni.test";
    private static final int VERSION_3 = 2;

    private final KeyPair authorityKey;
    private final KeyPair serverKey;
    private final X509Certificate authority;
    private final Instant now;
    private final AtomicLong serial = new AtomicLong(1);
    private final ConcurrentHashMap<String, SslContext> contexts = new ConcurrentHashMap<>();

    /**
     * @param now the time from which its certificates are valid, with a tolerance of a day
     */
    CertificateAuthority(Instant now) {
        this.now = now;
        try {
            var keys = KeyPairGenerator.getInstance("EC");
            keys.initialize(new ECGenParameterSpec("secp256r1"));
            authorityKey = keys.generateKeyPair();
            serverKey = keys.generateKeyPair();
            // cA is true.
            var constraints = DerEncoder.sequence(DerEncoder.booleanTrue());
            authority =
                    certificate(
                            ISSUER,
                            authorityKey,
                            DerEncoder.sequence(
                                    BASIC_CONSTRAINTS,
                                    DerEncoder.booleanTrue(),
                                    DerEncoder.octets(constraints)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has P-256 and ECDSA", e);
        }
    }

    /** Returns the authority's own certificate as PEM (RFC 7468). */
    String pem() {
        try {
            var base64 = Base64.getMimeEncoder(64, new byte[] {'\n'});
            return "-----BEGIN CERTIFICATE-----\n"
                    + base64.encodeToString(authority.getEncoded())
                    + "\n-----END CERTIFICATE-----\n";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("could not encode a parsed certificate", e);
        }
    }

    /** Returns the context for a connection to a name; empty if the client sent no SNI. */
    SslContext context(@Nullable String name) {
        if (contexts.size() >= CONTEXTS_MAX) {
            contexts.clear();
        }
        return contexts.computeIfAbsent(name == null ? NO_SNI_NAME : name, this::createContext);
    }

    private SslContext createContext(String name) {
        try {
            var certificate = certificate(name, serverKey, alternativeName(name));
            return SslContextBuilder.forServer(serverKey.getPrivate(), certificate, authority)
                    .build();
        } catch (GeneralSecurityException | SSLException e) {
            throw new IllegalStateException("could not create a certificate for " + name, e);
        }
    }

    /** Encodes GeneralNames with a dNSName (context-specific tag 2). */
    static byte[] alternativeName(String name) {
        var names =
                DerEncoder.sequence(
                        DerEncoder.tagged(0x82, name.getBytes(StandardCharsets.US_ASCII)));
        return DerEncoder.sequence(SUBJECT_ALTERNATIVE_NAME, DerEncoder.octets(names));
    }

    Signer signer() {
        return new Signer(ISSUER, authorityKey);
    }

    KeyPair serverKey() {
        return serverKey;
    }

    X509Certificate authorityCertificate() {
        return authority;
    }

    private X509Certificate certificate(String subject, KeyPair key, byte[] extension)
            throws GeneralSecurityException {
        return certificate(
                new Signer(ISSUER, authorityKey),
                new Validity(now.minus(Duration.ofDays(1)), now.plus(Duration.ofDays(365))),
                subject,
                key,
                extension);
    }

    record Signer(String name, KeyPair key) {}

    record Validity(Instant from, Instant to) {}

    X509Certificate certificate(
            Signer signer, Validity valid, String subject, KeyPair key, byte[] extension)
            throws GeneralSecurityException {
        var toBeSigned =
                DerEncoder.sequence(
                        DerEncoder.tagged(0xA0, DerEncoder.integer(BigInteger.valueOf(VERSION_3))),
                        DerEncoder.integer(BigInteger.valueOf(serial.getAndIncrement())),
                        ECDSA_WITH_SHA256,
                        name(signer.name()),
                        DerEncoder.sequence(
                                DerEncoder.time(valid.from()), DerEncoder.time(valid.to())),
                        name(subject),
                        key.getPublic().getEncoded(),
                        DerEncoder.tagged(0xA3, DerEncoder.sequence(extension)));
        var signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(signer.key().getPrivate());
        signature.update(toBeSigned);
        var der =
                DerEncoder.sequence(
                        toBeSigned, ECDSA_WITH_SHA256, DerEncoder.bits(0, signature.sign()));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(der));
    }

    private static byte[] name(String commonName) {
        return DerEncoder.sequence(
                DerEncoder.set(DerEncoder.sequence(COMMON_NAME, DerEncoder.utf8(commonName))));
    }
}
