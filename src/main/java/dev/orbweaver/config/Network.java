package dev.orbweaver.config;

import dev.orbweaver.fetch.Access;
import dev.orbweaver.fetch.AddressPolicy;
import dev.orbweaver.fetch.FetchSettings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * How requests are made; what {@link FetchSettings} adds is known only once a crawl has a folder.
 */
public record Network(
        String userAgent,
        String contact,
        FetchSettings.Times times,
        FetchSettings.Connections connections,
        int headBytesMax,
        long bodyBytesMax,
        boolean insecure,
        AddressPolicy addresses,
        Map<String, InetAddress> fixed,
        Optional<InetSocketAddress> nameServer,
        Access access) {

    /** Keeps the parts unchangeable. */
    public Network {
        fixed = Map.copyOf(fixed);
    }

    /** Whether the User-Agent tells site owners whom to ask. */
    public boolean reachable() {
        return !contact.isEmpty() || namesContact(userAgent);
    }

    Network within(int connectionsMax) {
        return new Network(
                userAgent,
                contact,
                times,
                new FetchSettings.Connections(
                        Math.min(connections.max(), connectionsMax),
                        Math.min(connections.perPlace(), connectionsMax),
                        connections.idle()),
                headBytesMax,
                bodyBytesMax,
                insecure,
                addresses,
                fixed,
                nameServer,
                access);
    }

    static boolean namesContact(String userAgent) {
        return userAgent.contains("://") || userAgent.contains("@");
    }

    /** The fetcher's settings for a crawl with that folder for large bodies. */
    public FetchSettings fetch(Path temporary) {
        return new FetchSettings(
                userAgent,
                times,
                connections,
                headBytesMax,
                bodyBytesMax,
                insecure,
                addresses,
                fixed,
                nameServer,
                access,
                temporary);
    }
}
