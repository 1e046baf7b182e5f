package dev.orbweaver.model;

/** How far from its seeds a crawl goes. */
public enum ScopeType {
    /** Below the directory of a seed. */
    PATH,
    /** The host names of the seeds, with any scheme and port. */
    HOST,
    /** The registrable domains of the seeds. */
    DOMAIN,
    /** Anywhere. */
    ANY
}
