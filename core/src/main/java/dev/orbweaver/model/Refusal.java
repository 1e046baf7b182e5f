package dev.orbweaver.model;

/** Why a URL was not requested. */
public enum Refusal {
    /** Not within the crawl's scope. */
    SCOPE("scope"),
    /** An exclude rule matched, or no include rule did. */
    RULE("rule"),
    /** Deeper than the limit. */
    DEPTH("depth"),
    /** A media or data extension that this crawl skips. */
    EXTENSION("extension"),
    /** A requisite, and this crawl takes documents only. */
    REQUISITE("requisite"),
    /** robots.txt forbids it. */
    ROBOTS("robots"),
    /** The page or link asks not to be followed. */
    NOFOLLOW("nofollow"),
    /** Its address is one that this crawl must not reach. */
    ADDRESS("address"),
    /** A seed given without a scheme that does not answer over https; http is tried instead. */
    SCHEME_GUESS("scheme-guess"),
    /** The response's type or size is not wanted. */
    CONTENT("content"),
    /** Its host has as many URLs as the crawl takes of one host. */
    HOST_LIMIT("host-limit"),
    /** Its registrable domain has as many URLs as the crawl takes of one. */
    DOMAIN_LIMIT("domain-limit"),
    /** The crawl has as many hosts as it takes. */
    HOSTS_LIMIT("hosts-limit"),
    /** Its host was excluded by the operator. */
    EXCLUDED("excluded"),
    /** Its owner does not want it kept for what this crawl is for. */
    PURPOSE("purpose");

    private final String id;

    Refusal(String word) {
        this.id = word;
    }

    public String id() {
        return id;
    }
}
