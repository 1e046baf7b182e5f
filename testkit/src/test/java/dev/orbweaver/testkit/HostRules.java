package dev.orbweaver.testkit;

import java.util.HashMap;
import java.util.Map;

/**
 * The declared rules of a simulated web's hosts, for checking a crawler without a server: allowed
 * paths, delays and registrable domains. They do not depend on the crawler's robots.txt parser.
 */
public final class HostRules {

    private final SimulatedHosts hosts;
    private final Map<String, Integer> domainNumbers = new HashMap<>();
    private final int[] domains;

    /** The rules of a web's hosts. */
    public HostRules(SimulatedWeb web) {
        hosts = web.hosts();
        domains = new int[hosts.count()];
        for (var host = 0; host < domains.length; host++) {
            domains[host] =
                    domainNumbers.computeIfAbsent(hosts.domain(host), _ -> domainNumbers.size());
        }
    }

    /** The number of hosts. */
    public int hosts() {
        return domains.length;
    }

    /** Returns the number of an existing host. */
    public int host(String name) {
        return hosts.find(name).orElseThrow();
    }

    /** Whether a name is a host and not one of its wildcard subdomains. */
    public boolean isHost(String name) {
        return hosts.find(name).isPresent();
    }

    /** Returns the number of a host's registrable domain. */
    public int domain(int host) {
        return domains[host];
    }

    /** Whether a path with its query may be fetched. */
    public boolean allows(int host, String target) {
        return hosts.policy(host).allows(target);
    }

    /** Returns the Crawl-delay of a host; 0 for none. */
    public int crawlDelayMillis(int host) {
        return hosts.crawlDelayMillis(host);
    }

    /** Whether any host has a Crawl-delay. */
    public boolean anyCrawlDelay() {
        for (var host = 0; host < hosts(); host++) {
            if (crawlDelayMillis(host) > 0) {
                return true;
            }
        }
        return false;
    }
}
