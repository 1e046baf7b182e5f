package dev.orbweaver.cli;

import dev.orbweaver.model.CrawlEnd;
import dev.orbweaver.model.Ledger;

/** The exit codes of the process. */
enum ExitCode {
    COMPLETE(0, "success: the crawl is complete or has reached a limit"),
    INTERNAL(1, "internal error"),
    USAGE(2, "invalid command line or settings"),
    NOTHING(3, "no page could be fetched"),
    OUTPUT(4, "output cannot be written, or is in use by another process"),
    WAITING(5, "hosts must rest for longer than --max-idle-wait; continue with 'resume'"),
    DAMAGED(6, "'verify' found damage"),
    INTERRUPTED(130, "interrupted; continue with 'resume'");

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
            case RETENTION, BROKEN -> OUTPUT;
            case HANDLER_FAILED, INTERNAL -> ExitCode.INTERNAL;
        };
    }
}
