package dev.orbweaver.internal.revisit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Pages that change and signal changes at known rates, in virtual time in days.
 *
 * <p>Mean intervals between changes are as Cho and Garcia-Molina found them (The evolution of the
 * Web and implications for an incremental crawler, 2000): 23 % of the pages change daily, 15 %
 * within a week, 16 % within a month, 16 % within four months, 30 % less often; within a class they
 * are log-uniform. A host has five URL patterns of a hundred pages on average. Rates within a
 * pattern differ by a log-normal factor with σ = 0.4.
 */
public final class SimulatedPages {

    /** How the importance of pages is distributed; its mean is 1. */
    public enum Weights {
        EQUAL,
        /** Falls with the power 0.8 of the page's rank. */
        ZIPF
    }

    /** What the sitemap of a host says. */
    public enum Honesty {
        NONE,
        /** Reports changes with recall and precision 0.8, at once. */
        HONEST,
        /** Reports every page as changed, every day. */
        LYING
    }

    public static final double RECALL = 0.8;
    public static final double PRECISION = 0.8;

    private static final int PAGES_PER_PATTERN = 100;
    private static final int PATTERNS_PER_HOST = 5;
    private static final double SPREAD = 0.4;

    /** Shares and longest mean intervals of the classes. */
    private static final double[][] CLASSES = {
        {0.23, 1}, {0.15, 7}, {0.16, 30}, {0.16, 120}, {0.30, 1_000}
    };

    private static final double INTERVAL_MIN = 0.1;

    private final SplittableRandom random;
    private final double[] rate;
    private final double[] weight;
    private final int[] pattern;
    private final Honesty[] honesty;
    private final double[] nextChange;
    private final double[] nextFalse;
    private final double[] staleSince;
    private double now;
    private double freshWeight;
    private double lyingWeight;

    /** Fresh days times importance of the pages of lying hosts, since the last call. */
    private double lyingArea;

    /**
     * @param honest share of the hosts whose signals are honest
     * @param lying share of the hosts whose signals are not
     */
    public SimulatedPages(long seed, int pages, Weights weights, double honest, double lying) {
        random = new SplittableRandom(seed);
        rate = new double[pages];
        pattern = new int[pages];
        var patterns = Math.max(PATTERNS_PER_HOST, pages / PAGES_PER_PATTERN);
        var rates = new double[patterns];
        for (var i = 0; i < patterns; i++) {
            rates[i] = 1 / interval(random.split());
        }
        for (var page = 0; page < pages; page++) {
            pattern[page] = random.nextInt(patterns);
            rate[page] = rates[pattern[page]] * Math.exp(SPREAD * gaussian());
        }
        weight = weights == Weights.EQUAL ? ones(pages) : zipf(pages);
        honesty = new Honesty[patterns / PATTERNS_PER_HOST + 1];
        for (var host = 0; host < honesty.length; host++) {
            var part = host % 10 / 10.0; // Exact shares, because the hosts are few.
            honesty[host] =
                    part < honest
                            ? Honesty.HONEST
                            : part < honest + lying ? Honesty.LYING : Honesty.NONE;
        }
        nextChange = new double[pages];
        nextFalse = new double[pages];
        staleSince = new double[pages];
        Arrays.fill(staleSince, -1);
        for (var page = 0; page < pages; page++) {
            nextChange[page] = exponential(rate[page]);
            nextFalse[page] = nextFalse(page, 0);
            freshWeight += weight[page];
            lyingWeight += honesty(page) == Honesty.LYING ? weight[page] : 0;
        }
    }

    private static double interval(SplittableRandom random) {
        var part = random.nextDouble();
        var shortest = INTERVAL_MIN;
        for (var each : CLASSES) {
            if (part < each[0]) {
                return shortest * Math.pow(each[1] / shortest, random.nextDouble());
            }
            part -= each[0];
            shortest = each[1];
        }
        return CLASSES[CLASSES.length - 1][1];
    }

    private double gaussian() {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble()))
                * Math.cos(2 * Math.PI * random.nextDouble());
    }

    private static double[] ones(int pages) {
        var weights = new double[pages];
        Arrays.fill(weights, 1);
        return weights;
    }

    private double[] zipf(int pages) {
        var weights = new double[pages];
        var sum = 0.0;
        for (var rank = 0; rank < pages; rank++) {
            weights[rank] = Math.pow(rank + 1, -0.8);
            sum += weights[rank];
        }
        for (var i = pages - 1; i >= 0; i--) {
            var other = random.nextInt(i + 1);
            var moved = weights[other];
            weights[other] = weights[i];
            weights[i] = moved * pages / sum;
        }
        return weights;
    }

    private double exponential(double rate) {
        return -Math.log(1 - random.nextDouble()) / rate;
    }

    private double nextFalse(int page, double after) {
        return switch (honesty(page)) {
            case NONE -> Double.POSITIVE_INFINITY;
            case HONEST -> after + exponential(model(page).falseSignals());
            case LYING -> Math.floor(after) + 1;
        };
    }

    public int count() {
        return rate.length;
    }

    public double rate(int page) {
        return rate[page];
    }

    public double weight(int page) {
        return weight[page];
    }

    public int pattern(int page) {
        return pattern[page];
    }

    public int host(int page) {
        return pattern[page] / PATTERNS_PER_HOST;
    }

    public Honesty honesty(int page) {
        return honesty[host(page)];
    }

    /** The true rates of a page; a lying host's signals say nothing. */
    ChangeModel model(int page) {
        return honesty(page) == Honesty.HONEST
                ? new ChangeModel(rate[page], RECALL, RECALL * rate[page] * (1 / PRECISION - 1))
                : ChangeModel.withoutSignals(rate[page]);
    }

    /**
     * Lets time pass.
     *
     * @param signal gets a page for each signal
     * @return fresh days times importance that passed, all pages together
     */
    double advance(double days, IntConsumer signal) {
        var end = now + days;
        var area = freshWeight * days;
        lyingArea += lyingWeight == 0 ? 0 : freshLyingWeight() * days;
        for (var page = 0; page < rate.length; page++) {
            while (nextChange[page] < end) {
                var time = nextChange[page];
                if (staleSince[page] < 0) {
                    staleSince[page] = time;
                    freshWeight -= weight[page];
                    area -= weight[page] * (end - time);
                    lyingArea -= honesty(page) == Honesty.LYING ? weight[page] * (end - time) : 0;
                }
                if (honesty(page) == Honesty.HONEST && random.nextDouble() < RECALL) {
                    signal.accept(page);
                }
                nextChange[page] = time + exponential(rate[page]);
            }
            while (nextFalse[page] < end) {
                signal.accept(page);
                nextFalse[page] = nextFalse(page, nextFalse[page]);
            }
        }
        now = end;
        return area;
    }

    private double freshLyingWeight() {
        return IntStream.range(0, count())
                .filter(page -> honesty(page) == Honesty.LYING && staleSince[page] < 0)
                .mapToDouble(page -> weight[page])
                .sum();
    }

    /**
     * Returns the share of time since the last call in which the copies of the pages of lying hosts
     * were fresh; 0 if there are none.
     */
    double takeLyingFreshness(double days) {
        var share = lyingWeight == 0 ? 0 : lyingArea / (lyingWeight * days);
        lyingArea = 0;
        return share;
    }

    /** Visits a page. Returns whether it had changed. */
    boolean visit(int page) {
        var changed = staleSince[page] >= 0;
        if (changed) {
            staleSince[page] = -1;
            freshWeight += weight[page];
        }
        return changed;
    }

    double now() {
        return now;
    }

    /** The freshness if every page is visited at the same interval. */
    public double uniform(double days) {
        return IntStream.range(0, count())
                        .mapToDouble(page -> weight[page] * fresh(rate[page] * days))
                        .sum()
                / count();
    }

    /** The freshness if pages are visited as often as they change, with one visit per interval. */
    public double proportional(double days) {
        var x = Arrays.stream(rate).sum() * days / count();
        return fresh(x);
    }

    private static double fresh(double x) {
        return -Math.expm1(-x) / x;
    }

    /**
     * The freshness of the best schedule for the true rates, with one visit per page and interval
     * on average: λ by bisection, as the budget is met (Azar et al. 2018).
     */
    public double optimum(double days, boolean withSignals) {
        List<ChangeModel> models = new ArrayList<>();
        for (var page = 0; page < count(); page++) {
            models.add(withSignals ? model(page) : ChangeModel.withoutSignals(rate[page]));
        }
        var low = 1e-6;
        var high = 1e6;
        for (var step = 0; step < 40; step++) {
            var middle = Math.sqrt(low * high);
            if (visits(models, middle) > count() / days) {
                low = middle;
            } else {
                high = middle;
            }
        }
        var lambda = high;
        return IntStream.range(0, count())
                        .mapToDouble(
                                page -> {
                                    var model = models.get(page);
                                    var x = RevisitPolicy.threshold(model, lambda / weight[page]);
                                    return Double.isInfinite(x)
                                            ? 0
                                            : weight[page]
                                                    * RevisitPolicy.expectedFreshness(model, x);
                                })
                        .sum()
                / count();
    }

    private double visits(List<ChangeModel> models, double lambda) {
        return IntStream.range(0, count())
                .mapToDouble(
                        page -> {
                            var model = models.get(page);
                            var x = RevisitPolicy.threshold(model, lambda / weight[page]);
                            return Double.isInfinite(x)
                                    ? 0
                                    : 1 / RevisitPolicy.expectedInterval(model, x);
                        })
                .sum();
    }
}
