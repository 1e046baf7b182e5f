package dev.orbweaver.cli;

import dev.orbweaver.internal.crawl.CrawlEnd;
import dev.orbweaver.internal.frontier.Ledger;

/** Exit codes of the process. */
enum ExitCode {
    COMPLETE(0, "complete, or a limit was reached"),
    INTERNAL(1, "an error of Orbweaver's own"),
    USAGE(2, "the command line or the settings are wrong"),
    NOTHING(3, "nothing could be fetched"),
    OUTPUT(4, "the output cannot be written, or another process holds it"),
    WAITING(5, "something rests for longer than --patience; resume later"),
    DAMAGED(6, "verify found damage"),
    INTERRUPTED(130, "interrupted; resume goes on");

    private final int code;
    private final String meaning;

    ExitCode(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    int code() {
        return code;
    }

    String meaning() {
        return meaning;
    }

    static ExitCode of(CrawlEnd end, Ledger ledger) {
        return switch (end.reason()) {
            case COMPLETE, MAX_PAGES, MAX_BYTES, MAX_TIME ->
                    ledger.pages() == 0 ? NOTHING : COMPLETE;
            case WAITING -> WAITING;
            case STOPPED -> INTERRUPTED;
            case BROKEN -> OUTPUT;
            case INTERNAL -> ExitCode.INTERNAL;
        };
    }
}
