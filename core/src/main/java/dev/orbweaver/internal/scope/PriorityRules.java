package dev.orbweaver.internal.scope;

import dev.orbweaver.model.CrawlUrl;

import java.util.List;

/**
 * The user's rules that raise or lower the priority of URLs; the points of all that match add.
 *
 * <p>With weights, the order of a host's URLs is drawn by lot: a URL of weight 3 is three times as
 * likely to be next as one of weight 1. Each URL draws an exponentially distributed number with its
 * weight as the rate, and the smallest is first (Efraimidis and Spirakis, 2006). Its logarithm is
 * what is added to the priority, so no queue is added, and points are factors of the weight: {@link
 * #DOUBLE} points double it. The number comes from the fingerprint, so all workers draw the same.
 */
public record PriorityRules(List<Rule> rules) {

    public static final PriorityRules NONE = new PriorityRules(List.of());

    private static final int POINTS_PER_DOUBLING = 20;

    /** The points that double a weight: one rank of a queue. */
    private static final int DOUBLE = 5;

    /**
     * Subtracted from all URLs of a host with weights. Without it, lucky URLs would have to have
     * more than 100 points, and those of small and of large weight would be equal at 100.
     */
    private static final int ROOM = 30;

    public PriorityRules {
        rules = List.copyOf(rules);
    }

    /**
     * A rule.
     *
     * @param points from -100 to 100
     * @param weight from 0.01 to 100; 0 for a rule without weight
     */
    public record Rule(UrlCondition condition, int points, double weight) {}

    public int points(CrawlUrl url) {
        var points = 0;
        var weight = 1.0;
        var weighted = false;
        for (var rule : rules) {
            weighted |= rule.weight > 0 && rule.condition.appliesTo(url.host());
            if (rule.condition.matches(url)) {
                points += rule.points;
                weight *= rule.weight > 0 ? rule.weight : 1;
            }
        }
        return weighted ? points + draw(url, weight) : points;
    }

    /**
     * Returns how important a URL is compared to one that matches no rule: its weight, doubled by
     * every 20 points.
     */
    public double importance(CrawlUrl url) {
        var points = 0;
        var weight = 1.0;
        for (var rule : rules) {
            if (rule.condition.matches(url)) {
                points += rule.points;
                weight *= rule.weight > 0 ? rule.weight : 1;
            }
        }
        return weight * Math.pow(2, (double) points / POINTS_PER_DOUBLING);
    }

    private static int draw(CrawlUrl url, double weight) {
        // 53 bits are as many as a double holds; the half keeps the number above 0 and below 1.
        var uniform = ((url.key().high() >>> 11) + 0.5) / (1L << 53);
        var exponential = -Math.log(uniform) / weight;
        return (int) Math.floor(-DOUBLE * Math.log(exponential) / Math.log(2)) - ROOM;
    }
}
