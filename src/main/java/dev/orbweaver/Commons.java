package dev.orbweaver;

import dev.orbweaver.crawl.RobotsStore;
import dev.orbweaver.crawl.TrapAccounts;
import dev.orbweaver.fetch.AddressBook;

import java.time.InstantSource;

/** What several processes that work on the same job know together. */
interface Commons {

    /** A job that nobody else works on. */
    Commons NONE =
            new Commons() {
                @Override
                public RobotsStore robots(RobotsStore own, InstantSource clock) {
                    return own;
                }

                @Override
                public AddressBook addresses() {
                    return AddressBook.EMPTY;
                }

                @Override
                public TrapAccounts traps() {
                    return TrapAccounts.OWN;
                }

                @Override
                public boolean othersMayWork() {
                    return false;
                }
            };

    /** What robots.txt files say, beyond what this process keeps itself. */
    RobotsStore robots(RobotsStore own, InstantSource clock);

    /** The addresses of names. */
    AddressBook addresses();

    /** The balances by which traps are recognised. */
    TrapAccounts traps();

    /** Whether other processes may work on the same job. */
    boolean othersMayWork();
}
