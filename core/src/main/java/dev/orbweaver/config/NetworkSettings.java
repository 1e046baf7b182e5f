package dev.orbweaver.config;

import dev.orbweaver.internal.fetch.AddressPolicy;
import dev.orbweaver.internal.fetch.FetchSettings;
import dev.orbweaver.internal.fetch.RequestOptions;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** How requests are made; {@link FetchSettings} adds what is known once a crawl has a directory. */
public record NetworkSettings(
        String userAgent,
        String contact,
        FetchSettings.Timeouts timeouts,
        FetchSettings.ConnectionLimits connectionLimits,
        int headBytesMax,
        long bodyBytesMax,
        boolean insecure,
        AddressPolicy addresses,
        Map<String, InetAddress> fixedAddresses,
        Optional<InetSocketAddress> nameServer,
        RequestOptions requestOptions) {

    public NetworkSettings {
        fixedAddresses = Map.copyOf(fixedAddresses);
    }

    /** Whether the User-Agent tells site owners whom to ask. */
    public boolean hasContact() {
        return !contact.isEmpty() || namesContact(userAgent);
    }

    NetworkSettings limitedTo(int connectionsMax) {
        return new NetworkSettings(
                userAgent,
                contact,
                timeouts,
                new FetchSettings.ConnectionLimits(
                        Math.min(connectionLimits.max(), connectionsMax),
                        Math.min(connectionLimits.perEndpoint(), connectionsMax),
                        connectionLimits.idle()),
                headBytesMax,
                bodyBytesMax,
                insecure,
                addresses,
                fixedAddresses,
                nameServer,
                requestOptions);
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
                addresses,
                fixedAddresses,
                nameServer,
                requestOptions,
                temporary);
    }
}
