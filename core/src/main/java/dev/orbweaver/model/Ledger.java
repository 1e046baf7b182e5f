package dev.orbweaver.model;

/**
 * The number of URLs of a crawl by state. Two sums always hold: offered = duplicate + refused +
 * accepted, and accepted = queued + leased + done + dead + withdrawn.
 *
 * @param offered links, seeds and redirect targets that were found, repetitions included
 * @param duplicate offered URLs that the crawl had accepted before
 * @param refused offered URLs that do not belong to the crawl: scope, limits, rules
 * @param accepted distinct URLs of the crawl
 * @param queued accepted URLs that wait for a request, retries included
 * @param leased accepted URLs that are being requested or processed
 * @param done accepted URLs with a final response: pages, redirects, client errors
 * @param dead accepted URLs that failed after the last retry, the dead letters
 * @param withdrawn accepted URLs that were not requested after all, for example because of
 *     robots.txt
 * @param pages done URLs with a stored 2xx response
 * @param bytes the size of all response bodies as transferred
 */
public record Ledger(
        long offered,
        long duplicate,
        long refused,
        long accepted,
        long queued,
        long leased,
        long done,
        long dead,
        long withdrawn,
        long pages,
        long bytes) {

    /** Returns whether both sums hold. */
    public boolean balances() {
        return offered == duplicate + refused + accepted
                && accepted == queued + leased + done + dead + withdrawn;
    }

    /** Returns the sum of two ledgers, state by state. */
    public Ledger plus(Ledger other) {
        return new Ledger(
                offered + other.offered,
                duplicate + other.duplicate,
                refused + other.refused,
                accepted + other.accepted,
                queued + other.queued,
                leased + other.leased,
                done + other.done,
                dead + other.dead,
                withdrawn + other.withdrawn,
                pages + other.pages,
                bytes + other.bytes);
    }
}
