package dev.orbweaver.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Sends a POST request to an address that was checked before connecting.
 *
 * <p>A name is resolved once, all of its addresses are checked, and the connection goes to one of
 * them. This prevents DNS rebinding, where a second lookup returns another address. Existing
 * clients resolve names themselves, after the check; so this one implements the small part of HTTP
 * that is needed (RFC 9112). TLS uses and verifies the host name, not the address. Redirects are
 * not followed, and only the status of the response is read.
 *
 * <p>At the deadline another thread closes the socket, so a request always ends in time.
 */
final class WebhookClient implements AutoCloseable {

    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final int RESPONSE_BYTES_MAX = 64 << 10;
    private static final int ADDRESSES_MAX = 4;
    private static final Logger LOG = LoggerFactory.getLogger(WebhookClient.class);

    /** Shorter than the deadline of a delivery, because a caller waits for it. */
    private static final Duration CHECK_TIMEOUT = Duration.ofSeconds(3);

    interface AddressLookup {
        List<InetAddress> addresses(String host) throws UnknownHostException;
    }

    private final TimedDnsLookup lookups;
    private final Function<InetAddress, Optional<String>> addressCheck;
    private final SSLSocketFactory tls;
    private final Duration deadline;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param guard returns the reason to refuse an address; empty if it is allowed
     * @param deadline of one attempt, from the DNS lookup to the response
     */
    WebhookClient(
            AddressLookup names,
            Function<InetAddress, Optional<String>> guard,
            SSLSocketFactory tls,
            Duration deadline) {
        this.lookups = new TimedDnsLookup(names);
        this.addressCheck = guard;
        this.tls = tls;
        this.deadline = deadline;
    }

    /** Sends a body and returns the response status. */
    int send(URI uri, Map<String, String> headers, byte[] body) throws IOException {
        var host = host(uri);
        var until = System.nanoTime() + deadline.toNanos();
        var addresses = lookups.addresses(host, deadline);
        var objection = refusalReason(addresses);
        if (objection.isPresent()) {
            throw new IOException(objection.get());
        }
        var failed = new IOException(host + " resolves to no address");
        for (var address : addresses.subList(0, Math.min(ADDRESSES_MAX, addresses.size()))) {
            try (var socket = new Socket()) {
                return withDeadline(
                        socket, until, () -> connectAndSend(socket, address, uri, headers, body));
            } catch (IOException e) {
                failed = e;
            }
            if (closed || System.nanoTime() - until > 0) {
                break;
            }
        }
        throw failed;
    }

    /** Returns why a URL's host must not be called; empty if allowed or not resolvable. */
    Optional<String> refusalReason(URI uri) {
        try {
            return refusalReason(lookups.addresses(host(uri), CHECK_TIMEOUT));
        } catch (IOException e) {
            LOG.debug("{}: {}", uri.getHost(), e.getMessage());
            return Optional.empty();
        }
    }

    private Optional<String> refusalReason(List<InetAddress> addresses) {
        for (var address : addresses) {
            var why = addressCheck.apply(address);
            if (why.isPresent()) {
                return Optional.of(address.getHostAddress() + " is " + why.get());
            }
        }
        return Optional.empty();
    }

    private static String host(URI uri) {
        return uri.getHost().replaceAll("^\\[|]$", "");
    }

    private interface StatusCall {
        int status() throws IOException;
    }

    private int withDeadline(Socket socket, long until, StatusCall statusCall) throws IOException {
        open.add(socket);
        var watch =
                Thread.ofVirtual()
                        .name("webhook deadline")
                        .start(() -> closeAtDeadline(socket, until));
        try {
            if (closed) {
                throw new IOException("the service is closing");
            }
            return statusCall.status();
        } catch (IOException e) {
            throw System.nanoTime() - until > 0
                    ? new IOException("no response within " + deadline.toSeconds() + " s", e)
                    : e;
        } finally {
            open.remove(socket);
            watch.interrupt();
        }
    }

    private static void closeAtDeadline(Socket socket, long until) {
        try {
            Thread.sleep(Duration.ofNanos(Math.max(0, until - System.nanoTime())));
            socket.close();
        } catch (InterruptedException done) {
            // The request ended in time; nothing waits for this thread.
        } catch (IOException e) {
            throw new IllegalStateException("could not close a socket", e);
        }
    }

    private int connectAndSend(
            Socket socket, InetAddress address, URI uri, Map<String, String> headers, byte[] body)
            throws IOException {
        var https = uri.getScheme().equals("https");
        var port = uri.getPort() < 0 ? (https ? HTTPS_PORT : HTTP_PORT) : uri.getPort();
        // An address without a name, so that no later code can resolve the name again.
        var nameless = InetAddress.getByAddress(address.getAddress());
        socket.connect(new InetSocketAddress(nameless, port));
        if (!https) {
            return exchange(socket, uri, headers, body);
        }
        try (var secure = (SSLSocket) tls.createSocket(socket, host(uri), port, true)) {
            var parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            return exchange(secure, uri, headers, body);
        }
    }

    private static int exchange(Socket socket, URI uri, Map<String, String> headers, byte[] body)
            throws IOException {
        var out = socket.getOutputStream();
        out.write(head(uri, headers, body.length).getBytes(US_ASCII));
        out.write(body);
        out.flush();
        return status(new BufferedInputStream(socket.getInputStream()));
    }

    private static String head(URI uri, Map<String, String> headers, int length) {
        var ascii = URI.create(uri.toASCIIString());
        var path = Optional.ofNullable(ascii.getRawPath()).filter(it -> !it.isEmpty()).orElse("/");
        var query = Optional.ofNullable(ascii.getRawQuery()).map(it -> "?" + it).orElse("");
        var port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        var head = new StringBuilder();
        head.append("POST ").append(path).append(query).append(" HTTP/1.1\r\n");
        head.append("Host: ").append(uri.getHost()).append(port).append("\r\n");
        headers.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        head.append("Content-Length: ").append(length).append("\r\n");
        return head.append("Connection: close\r\n\r\n").toString();
    }

    /** Returns the final status; interim responses (RFC 9110, section 15.2) are skipped. */
    private static int status(InputStream in) throws IOException {
        var left = RESPONSE_BYTES_MAX;
        while (true) {
            var line = line(in, left);
            if (!line.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
                throw new IOException("not an HTTP response");
            }
            var status = Integer.parseInt(line, 9, 12, 10);
            if (status >= 200) {
                return status;
            }
            while (!line.isEmpty()) {
                left -= line.length() + 2;
                line = line(in, left);
            }
        }
    }

    private static String line(InputStream in, int bytesMax) throws IOException {
        var line = new StringBuilder();
        for (var next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || line.length() >= bytesMax) {
                throw new IOException(
                        next < 0
                                ? "connection closed without a response"
                                : "response header too long");
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }

    /** Aborts requests in progress. */
    @Override
    public void close() throws IOException {
        closed = true;
        lookups.close();
        for (var socket : open) {
            socket.close();
        }
    }
}
