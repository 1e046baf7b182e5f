package dev.orbweaver.internal.frontier;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Decides whose turn it is among jobs that share something: a host, or the requests of a frontier.
 *
 * <p>Each job should get the share of the turns that its weight has in the weights of all jobs with
 * work. Virtual time measures that: each turn advances it by one over the sum of the weights, so
 * that a job is entitled to one turn per {@code 1 / weight} of it. A job is served when its next
 * turn has begun in virtual time, and of several such jobs the one whose turn ends first
 * (worst-case fair weighted fair queueing, Bennett and Zhang, 1996). A job is then never more than
 * one turn ahead of its share nor behind it. So in any sequence of turns its number of turns
 * differs from its share by less than two, for any number of jobs and any weights. Serving the job
 * that has advanced least (stride scheduling) does not have that property: a job of weight 100
 * beside ten of weight 1 would fall nine turns behind.
 *
 * <p>A job without work is not entitled to turns and does not catch up later. If it was served
 * ahead of its share, its weight counts until virtual time has reached the end of that turn;
 * otherwise it could leave and return in order to be served more often. A job that has work but
 * wants no turn at present keeps a single one.
 */
final class FairTurns {

    /** Absorbs rounding: far less than the shortest turn, far more than the error of a sum. */
    private static final double ROUNDING = 1e-6;

    private static final Comparator<Turn> BY_BEGIN =
            Comparator.<Turn>comparingDouble(turn -> turn.begin).thenComparingInt(turn -> turn.job);
    private static final Comparator<Turn> BY_END =
            Comparator.<Turn>comparingDouble(turn -> turn.end).thenComparingInt(turn -> turn.job);

    private enum Place {
        /** It has no work, and its weight does not count. */
        OUT,
        /** It has work and is entitled to a turn. */
        ENTITLED,
        /** It has work and was served ahead of its share. */
        AHEAD,
        /** It has no work and was served ahead of its share, so its weight still counts. */
        LEAVING,
        /** It has work but did not want its turn. */
        DECLINED
    }

    /** One job's next turn. */
    static final class Turn {
        final int job;
        private int weight;
        private double begin;
        private double end;
        private Place place = Place.OUT;

        Turn(int job, int weight) {
            this.job = job;
            this.weight = weight;
        }

        private void beginAt(double time) {
            begin = time;
            end = time + 1.0 / weight;
        }
    }

    private final TreeSet<Turn> entitled = new TreeSet<>(BY_END);
    private final TreeSet<Turn> ahead = new TreeSet<>(BY_BEGIN);
    private final TreeSet<Turn> leaving = new TreeSet<>(BY_BEGIN);

    /** By job. */
    private final Map<Integer, Turn> declined = new LinkedHashMap<>();

    private double virtualTime;
    private long weights;

    /** Adds a job that has work now. */
    void enter(Turn turn) {
        switch (turn.place) {
            case ENTITLED, AHEAD, DECLINED -> {}
            case LEAVING -> {
                leaving.remove(turn);
                insert(turn);
            }
            case OUT -> {
                turn.beginAt(Math.max(turn.begin, virtualTime));
                weights += turn.weight;
                insert(turn);
            }
        }
    }

    private void insert(Turn turn) {
        if (turn.begin <= virtualTime + ROUNDING) {
            turn.place = Place.ENTITLED;
            entitled.add(turn);
        } else {
            turn.place = Place.AHEAD;
            ahead.add(turn);
        }
    }

    /** Removes a job that has no work any more. */
    void leave(Turn turn) {
        switch (turn.place) {
            case OUT, LEAVING -> {}
            case DECLINED -> {
                declined.remove(turn.job);
                turn.place = Place.OUT;
            }
            case ENTITLED -> {
                entitled.remove(turn);
                weights -= turn.weight;
                turn.place = Place.OUT;
            }
            case AHEAD -> {
                ahead.remove(turn);
                leaving.add(turn);
                turn.place = Place.LEAVING;
            }
        }
    }

    /** Removes a job for good. */
    void remove(Turn turn) {
        leave(turn);
        if (turn.place == Place.LEAVING) {
            leaving.remove(turn);
            weights -= turn.weight;
            turn.place = Place.OUT;
        }
    }

    void setWeight(Turn turn, int weight) {
        var before = turn.place;
        remove(turn);
        turn.weight = weight;
        turn.beginAt(turn.begin);
        if (before != Place.OUT && before != Place.LEAVING) {
            enter(turn);
        }
    }

    /**
     * Returns the job whose turn it is. Jobs whose turn it was and that do not want it are passed
     * over until {@link #recall}.
     */
    Optional<Turn> next(Predicate<Turn> wants) {
        while (true) {
            while (!ahead.isEmpty() && ahead.first().begin <= virtualTime + ROUNDING) {
                insert(ahead.removeFirst());
            }
            if (!entitled.isEmpty()) {
                var first = entitled.first();
                if (wants.test(first)) {
                    return Optional.of(first);
                }
                decline(first);
            } else if (!ahead.isEmpty()) {
                advanceTo(ahead.first().begin); // The jobs that are entitled want no turn.
            } else {
                return Optional.empty();
            }
        }
    }

    private void decline(Turn turn) {
        leave(turn);
        turn.place = Place.DECLINED;
        declined.put(turn.job, turn);
    }

    /** Adds the passed-over jobs again that want a turn now. */
    void recall(Predicate<Turn> wants) {
        if (declined.isEmpty()) {
            return;
        }
        for (var turn : new ArrayList<>(declined.values())) {
            if (wants.test(turn)) {
                recall(turn);
            }
        }
    }

    /**
     * Adds those of some jobs again that were passed over, without a look at the others: there may
     * be many that want no turn for a long time.
     */
    void recall(Iterable<Integer> jobs) {
        for (var job : jobs) {
            var turn = declined.get(job);
            if (turn != null) {
                recall(turn);
            }
        }
    }

    private void recall(Turn turn) {
        declined.remove(turn.job);
        turn.beginAt(Math.max(turn.begin, virtualTime - 1.0 / turn.weight));
        weights += turn.weight;
        insert(turn);
    }

    /** Returns how many jobs were passed over. */
    int declined() {
        return declined.size();
    }

    /** Returns whether a job has work, even if it wants no turn. */
    boolean hasWork() {
        return !entitled.isEmpty() || !ahead.isEmpty() || !declined.isEmpty();
    }

    /** Counts a turn of a job, which may have no work any more. */
    void served(Turn turn) {
        var hasWork = turn.place != Place.OUT && turn.place != Place.LEAVING;
        remove(turn);
        turn.beginAt(Math.max(turn.begin, virtualTime - 1.0 / turn.weight) + 1.0 / turn.weight);
        weights += turn.weight;
        if (turn.begin > virtualTime + ROUNDING) {
            turn.place = hasWork ? Place.AHEAD : Place.LEAVING;
            (hasWork ? ahead : leaving).add(turn);
        } else if (hasWork) {
            insert(turn);
        } else {
            weights -= turn.weight;
        }
        advance();
    }

    /** Advances virtual time by one turn; the sum of the weights falls where jobs have left. */
    private void advance() {
        var turns = 1.0;
        while (!leaving.isEmpty()) {
            var first = leaving.first();
            var until = (first.begin - virtualTime) * weights;
            if (until > turns) {
                break;
            }
            turns -= Math.max(0, until);
            advanceTo(first.begin);
        }
        if (weights > 0) {
            virtualTime += turns / weights;
        }
    }

    private void advanceTo(double time) {
        virtualTime = Math.max(virtualTime, time);
        while (!leaving.isEmpty() && leaving.first().begin <= virtualTime) {
            var left = leaving.removeFirst();
            weights -= left.weight;
            left.place = Place.OUT;
        }
    }
}
