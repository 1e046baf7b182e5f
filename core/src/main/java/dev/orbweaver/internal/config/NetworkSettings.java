package dev.orbweaver.internal.config;

import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.internal.fetch.Cookie;
import dev.orbweaver.internal.fetch.FetchSettings;
import dev.orbweaver.internal.fetch.RequestOptions;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Network settings; {@link FetchSettings} adds what depends on the crawl's directory. */
public record NetworkSettings(
        String userAgent,
        String contact,
        FetchSettings.Timeouts timeouts,
        FetchSettings.ConnectionLimits connectionLimits,
        int headBytesMax,
        long bodyBytesMax,
        boolean insecure,
        boolean http2,
        AddressPolicy addresses,
        Map<String, InetAddress> fixedAddresses,
        Optional<InetSocketAddress> nameServer,
        RequestOptions requestOptions) {

    public NetworkSettings {
        fixedAddresses = Map.copyOf(fixedAddresses);
    }

    /** Whether the User-Agent contains a contact for site owners. */
    public boolean hasContact() {
        return !contact.isEmpty() || namesContact(userAgent);
    }

    NetworkSettings limitedTo(int connectionsMax) {
        return with(
                new FetchSettings.ConnectionLimits(
                        Math.min(connectionLimits.max(), connectionsMax),
                        Math.min(connectionLimits.perEndpoint(), connectionsMax),
                        connectionLimits.idle()),
                requestOptions);
    }

    NetworkSettings withFileCookies(List<Cookie> cookies) {
        return with(connectionLimits, requestOptions.withFileCookies(cookies));
    }

    private NetworkSettings with(
            FetchSettings.ConnectionLimits otherLimits, RequestOptions otherOptions) {
        return new NetworkSettings(
                userAgent,
                contact,
                timeouts,
                otherLimits,
                headBytesMax,
                bodyBytesMax,
                insecure,
                http2,
                addresses,
                fixedAddresses,
                nameServer,
                otherOptions);
    }

    static boolean namesContact(String userAgent) {
        return userAgent.contains("://") || userAgent.contains("@");
    }

    public FetchSettings fetch(Path temporary) {
        return new FetchSettings(
                userAgent,
                timeouts,
                connectionLimits,
                headBytesMax,
                bodyBytesMax,
                insecure,
                http2,
                addresses,
                fixedAddresses,
                nameServer,
                requestOptions,
                temporary);
    }
}
