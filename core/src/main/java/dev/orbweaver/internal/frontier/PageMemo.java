package dev.orbweaver.internal.frontier;

import dev.orbweaver.model.VisitNumber;

/**
 * What a shared frontier stores with a URL that was visited before, because the worker that visits
 * it next may not have the log of the last visit.
 */
public final class PageMemo {

    public static final PageMemo NONE = new PageMemo(VisitNumber.FIRST, new byte[0]);

    private final VisitNumber visit;
    private final byte[] state;

    /**
     * @param visit the number of the last visit
     * @param state what its job keeps of it
     */
    public PageMemo(VisitNumber visit, byte[] state) {
        this.visit = visit;
        this.state = state.clone();
    }

    public VisitNumber visit() {
        return visit;
    }

    public byte[] state() {
        return state.clone();
    }

    @Override
    public String toString() {
        return visit.toString();
    }
}
