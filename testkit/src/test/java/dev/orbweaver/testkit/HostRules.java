package dev.orbweaver.testkit;

import java.util.HashMap;
import java.util.Map;

/**
 * What a simulated web knows of its own hosts, for whoever judges a crawler without a server: what
 * may be asked for, how slowly, and who belongs together. None of it comes from the crawler's own
 * reading of robots.txt.
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

    /** How many hosts there are. */
    public int hosts() {
        return domains.length;
    }

    /** The number of a host that is known to exist. */
    public int host(String name) {
        return hosts.find(name).orElseThrow();
    }

    /** Whether a name is a host of its own, not one of the endless names below a host. */
    public boolean isHost(String name) {
        return hosts.find(name).isPresent();
    }

    /** A number that hosts of one registrable domain share. */
    public int domain(int host) {
        return domains[host];
    }

    /** Whether a path with its query may be fetched. */
    public boolean allows(int host, String target) {
        return hosts.policy(host).allows(target);
    }

    /** The delay that a host's robots.txt asks for; 0 for none. */
    public int crawlDelayMillis(int host) {
        return hosts.crawlDelayMillis(host);
    }

    /** Whether any host asks for a delay of its own. */
    public boolean anyCrawlDelay() {
        for (var host = 0; host < hosts(); host++) {
            if (crawlDelayMillis(host) > 0) {
                return true;
            }
        }
        return false;
    }
}
