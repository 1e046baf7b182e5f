package dev.orbweaver.internal.frontier;

/**
 * Counts URLs by state. Two sums always hold: offered = duplicate + refused + accepted, and
 * accepted = queued + leased + done + dead + withdrawn.
 *
 * @param pages of the done, those stored with a 2xx response
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

    /** Whether both sums hold. */
    public boolean balances() {
        return offered == duplicate + refused + accepted
                && accepted == queued + leased + done + dead + withdrawn;
    }

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
