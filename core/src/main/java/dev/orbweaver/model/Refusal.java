package dev.orbweaver.model;

/** The reasons for which a URL is not requested or its response not stored. */
public enum Refusal {
    /** Not within the crawl's scope. */
    SCOPE("scope"),
    /** An exclude rule matched, or no include rule did. */
    RULE("rule"),
    /** Deeper than the limit. */
    DEPTH("depth"),
    /** A file extension that this crawl skips. */
    EXTENSION("extension"),
    /** A file that a page needs to be shown, in a crawl of documents only. */
    REQUISITE("requisite"),
    /** robots.txt forbids it. */
    ROBOTS("robots"),
    /** The page or the link has {@code nofollow}. */
    NOFOLLOW("nofollow"),
    /** The host has an address that this crawl must not connect to, such as a private one. */
    ADDRESS("address"),
    /** A seed without a scheme that does not respond over https; http is tried instead. */
    SCHEME_GUESS("scheme-guess"),
    /** The media type or size of the response is excluded. */
    CONTENT("content"),
    /** The host has reached the maximum number of URLs per host. */
    HOST_LIMIT("host-limit"),
    /** The registrable domain has reached the maximum number of URLs per domain. */
    DOMAIN_LIMIT("domain-limit"),
    /** The crawl has reached the maximum number of hosts. */
    HOSTS_LIMIT("hosts-limit"),
    /** The operator excluded the host. */
    EXCLUDED("excluded"),
    /** The site owner does not allow storage for the purpose of this crawl. */
    PURPOSE("purpose"),
    /** A line of a seed list is not an http or https URL. */
    MALFORMED("malformed"),
    /** The crawl has reached the maximum number of URLs that match a condition. */
    MATCH_LIMIT("match-limit"),
    /** Too many URLs wait in memory for their earliest time. */
    WAITING_LIMIT("waiting-limit");

    private final String id;

    Refusal(String id) {
        this.id = id;
    }

    /** Returns the id used in the page log and reports. */
    public String id() {
        return id;
    }
}
