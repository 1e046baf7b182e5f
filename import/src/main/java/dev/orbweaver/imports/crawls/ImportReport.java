package dev.orbweaver.imports.crawls;

import java.util.List;

/** The counts of an import on both sides: what the source has, and what the crawl has of it. */
public record ImportReport(List<Part> parts, Hosts hosts) {

    public ImportReport {
        parts = List.copyOf(parts);
    }

    /**
     * A table or file.
     *
     * @param sourceRows rows in the source
     * @param accepted rows that became URLs of the crawl
     * @param duplicate rows whose URL the crawl had already
     * @param rejected rows without a valid URL, or beyond a limit of the settings
     */
    public record Part(String name, long sourceRows, long accepted, long duplicate, long rejected) {

        public boolean balances() {
            return sourceRows == accepted + duplicate + rejected;
        }
    }

    /**
     * What was imported of hosts.
     *
     * @param sourceRows rows in the source
     * @param rows rows that were read; each may have several facts about its host, or none
     * @param omittedRobots robots.txt files for which the fleet has no room; they are requested
     * @param invalid host names that are not valid
     */
    public record Hosts(
            long sourceRows,
            long rows,
            long excluded,
            long robots,
            long expiredRobots,
            long omittedRobots,
            long invalid) {
        public static final Hosts NONE = new Hosts(0, 0, 0, 0, 0, 0, 0);
    }

    public boolean balances() {
        return parts.stream().allMatch(Part::balances) && hosts.sourceRows() == hosts.rows();
    }
}
