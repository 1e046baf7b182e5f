package dev.orbweaver.internal.fetch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** TLS for servers of tests: a certificate for another name, which no client trusts. */
public final class SelfSigned {

    private static final String PASSWORD = "secret";

    private SelfSigned() {}

    public static SSLContext context(Path directory) throws Exception {
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keyStore(directory), PASSWORD.toCharArray());
        var tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        return tls;
    }

    /** Writes {@code cert.pem} and {@code key.pem}. */
    static void writePem(Path directory) throws Exception {
        var keys = keyStore(directory);
        var key = keys.getKey("a", PASSWORD.toCharArray());
        Files.writeString(
                directory.resolve("cert.pem"),
                pem("CERTIFICATE", keys.getCertificate("a").getEncoded()));
        Files.writeString(directory.resolve("key.pem"), pem("PRIVATE KEY", key.getEncoded()));
    }

    private static String pem(String what, byte[] bytes) {
        var text = Base64.getMimeEncoder().encodeToString(bytes);
        return "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(what, text, what);
    }

    private static KeyStore keyStore(Path directory) throws Exception {
        var store = directory.resolve("keys.p12");
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        var made =
                new ProcessBuilder(
                                List.of(
                                        keytool.toString(),
                                        "-genkeypair",
                                        "-alias",
                                        "a",
                                        "-keyalg",
                                        "EC",
                                        "-dname",
                                        "CN=other.example",
                                        "-validity",
                                        "30",
                                        "-storetype",
                                        "PKCS12",
                                        "-storepass",
                                        PASSWORD,
                                        "-keystore",
                                        store.toString()))
                        .inheritIO()
                        .start()
                        .waitFor();
        if (made != 0) {
            throw new IOException("keytool failed with exit code " + made);
        }
        return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }
}
