package dev.orbweaver.fleet.redis;

import dev.orbweaver.internal.frontier.Priority;
import dev.orbweaver.internal.frontier.Workbench;
import dev.orbweaver.internal.revisit.HostRates;
import dev.orbweaver.model.FailureCause;
import dev.orbweaver.model.Refusal;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The names and numbers of the protocol and of stored data, defined only here. A script refers to
 * them in capitals, as {@code COUNTER_QUEUED} for {@link Counter#QUEUED}, and {@link #resolve}
 * substitutes their values, so that they cost Redis nothing.
 */
final class ScriptConstants {

    private static final Pattern NAME = Pattern.compile("\\b[A-Z][A-Z_]+\\b");
    private static final Map<String, String> LITERALS = literals();

    private ScriptConstants() {}

    /** A string of the protocol; by default the constant's name in lower case. */
    interface Constant {

        String name();

        default String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * One of several results that are encoded as one character in a reply: the name's first letter.
     */
    interface Letter extends Constant {

        @Override
        default String text() {
            return name().substring(0, 1);
        }
    }

    enum Counter implements Constant {
        ACCEPTED,
        DUPLICATES,
        QUEUED,
        CLAIMED,
        DONE,
        PAGES,
        BYTES,
        WITHDRAWN,
        /** The queued URLs that are in files. */
        SPILLED,
        /** Known pages that are due later; they are done. */
        SCHEDULED,
        /** Known pages that are queued or claimed for another visit. */
        REVISITS
    }

    /** Counters that a job has for each reason, cause or worker. */
    enum CounterGroup implements Constant {
        REFUSED,
        DEAD,
        DEFERRED,
        LAST_OFFERED;

        @Override
        public String text() {
            return Constant.super.text() + ":";
        }

        String of(String detail) {
            return text() + detail;
        }

        static String refused(Refusal why) {
            return REFUSED.of(why.id());
        }

        static String dead(FailureCause cause) {
            return DEAD.of(cause.id());
        }
    }

    /** Keys of a shard that both Java and scripts use; some exist for every job. */
    enum ShardKey implements Constant {
        JOBS,
        /** Jobs whose URLs must not be claimed. */
        PAUSED,
        /** Jobs whose late updates are rejected. */
        DELETED,
        /** Of a job: accepted URLs of every host. */
        ACCEPTED,
        /** Of a job: dead letters. */
        DEAD,
        /** Of a job: spilled ranges whose URLs are dead letters. */
        DEAD_RANGES,
        /** The last call of each worker with its reply. */
        LAST_CALLS,
        /** Of a job: how far each seed list was read. */
        SEED_POSITIONS,
        /** Of a job: the number of pieces of each seed list. */
        SEED_LISTS,
        /** Of a job: known pages that are due later. */
        REVISITS,
        /** Of a job and host: what was observed on its pages. */
        RATES;

        @Override
        public String text() {
            return ":" + Constant.super.text();
        }

        byte[] of(Shards.Shard shard) {
            return RedisConnection.bytes(shard.base + text());
        }

        byte[] of(Shards.Shard shard, int job) {
            return RedisConnection.bytes(shard.base + text() + ":" + job);
        }
    }

    enum JobField implements Constant {
        STATE,
        REASON,
        FAILED,
        SINCE,
        BEGUN,
        VERSION,
        SETTINGS,
        NOTE,
        WEIGHT,
        NOTIFIED,
        /** How many seed lists were ever added. */
        SEED_LISTS;

        byte[] bytes() {
            return RedisConnection.bytes(text());
        }

        String of(Map<String, String> record, String absent) {
            return record.getOrDefault(text(), absent);
        }
    }

    enum OfferMode implements Constant {
        OFFER,
        /** Offered again to a server that may have lost it: a duplicate is not counted. */
        REPLAY,
        /** The job excludes the host: the URL is only counted. */
        EXCLUDED,
        /** Moved from another host; becomes the first of its queue. */
        MOVED,
        /** Fetched elsewhere: the URL counts as done. */
        VISITED
    }

    enum OfferResult implements Letter {
        ACCEPTED,
        DUPLICATE,
        LIMIT,
        EXCLUDED,
        JOB_DELETED
    }

    enum ChangeKind implements Constant {
        DONE,
        WITHDRAWN,
        DEAD,
        UPDATED,
        MOVED,
        HOST_DOWN,
        COUNTED,
        REQUEUED,
        /** Done, and stored until the next visit. */
        VISITED,
        RATES
    }

    enum ChangeResult implements Letter {
        APPLIED,
        REFUSED,
        /** Applied in part: the worker repeats the change. */
        INCOMPLETE
    }

    enum SeenResult implements Letter {
        KNOWN,
        NEW,
        /** The URL and its host are new. */
        FIRST_OF_HOST,
        /** The URL is new, but its host has as many URLs as the job allows. */
        HOST_LIMIT
    }

    /** Whether a job's limits allow another URL. */
    enum ReserveResult implements Letter {
        RESERVED,
        HOSTS_LIMIT,
        DOMAIN_LIMIT,
        MATCH_LIMIT
    }

    enum GateResult implements Letter {
        LEASED,
        /** Another worker has it; retry later. */
        BUSY,
        /** Another worker has it, so its lease cannot be renewed. */
        REVOKED
    }

    enum FindResult implements Constant {
        NEVER,
        SETTLED,
        CLAIMED,
        DEAD,
        QUEUED,
        /** It may be in a file. */
        SPILLED,
        /** It is settled and due for another visit later. */
        SCHEDULED
    }

    enum FilesAction implements Constant {
        BEGIN,
        END,
        SWEEP
    }

    /** What happens to a shard in the fleet's agenda. */
    enum AgendaAction implements Constant {
        /** Its figures have changed. */
        CHANGED,
        /** It needs a worker at a time, or sooner. */
        SOONER,
        /** It needs a worker only at a time, unless it was changed since. */
        LATER
    }

    enum LoadTarget implements Constant {
        QUEUE,
        DEAD_LETTERS
    }

    private static Map<String, String> literals() {
        var all = new TreeMap<String, String>();
        add(all, "COUNTER_", Counter.values());
        add(all, "COUNTER_", CounterGroup.values());
        add(all, "KEY_", ShardKey.values());
        add(all, "JOB_", JobField.values());
        add(all, "MODE_", OfferMode.values());
        add(all, "OFFER_", OfferResult.values());
        add(all, "CHANGE_", ChangeKind.values());
        add(all, "RESULT_", ChangeResult.values());
        add(all, "SEEN_", SeenResult.values());
        add(all, "RESERVE_", ReserveResult.values());
        add(all, "GATE_", GateResult.values());
        add(all, "FIND_", FindResult.values());
        add(all, "FILES_", FilesAction.values());
        add(all, "LOAD_", LoadTarget.values());
        add(all, "AGENDA_", AgendaAction.values());
        addShort(all);
        all.put("REVISIT_EPOCH", Long.toString(ScheduledPage.EPOCH.getEpochSecond()));
        all.put("REVISIT_FLAG", Integer.toString(RedisRecordCodec.REVISIT_FLAG));
        all.put("REVISIT_VISITED_AT", Integer.toString(RedisRecordCodec.VISITED_AT));
        all.put("LAST_PAGE", Integer.toString(RedisRecordCodec.LAST_PAGE));
        all.put("RATE_BYTES", Integer.toString(HostRates.BYTES));
        all.put("REFUSED_EXCLUDED", quoted(CounterGroup.refused(Refusal.EXCLUDED)));
        all.put("REFUSED_MALFORMED", quoted(CounterGroup.refused(Refusal.MALFORMED)));
        all.put("REFUSED_HOST_LIMIT", quoted(CounterGroup.refused(Refusal.HOST_LIMIT)));
        all.put("DEAD_HOST_DOWN", quoted(CounterGroup.dead(FailureCause.HOST_DOWN)));
        all.put("CAUSE_HOST_DOWN", quoted(FailureCause.HOST_DOWN.id()));
        all.put("STATE_RUNNING", quoted(FleetJob.State.RUNNING.id()));
        all.put("JOB_KEY", quoted(Fleet.JOB_KEY));
        all.put("CHARTER_KEY", quoted(FleetCompatibility.KEY));
        all.put("JOBS_VERSION", quoted(Fleet.JOBS_VERSION));
        all.put("QUOTA_HOSTS", quoted(JobQuotas.HOSTS));
        all.put("QUOTA_DOMAIN", quoted(JobQuotas.DOMAIN));
        all.put("QUOTA_MATCHING", quoted(JobQuotas.MATCHING));
        all.put("AGENDA_KEY", quoted(Agenda.KEY));
        all.put("CHANGES_KEY", quoted(Agenda.CHANGES_KEY));
        all.put("CHANGES_LAST", quoted(Agenda.CHANGES_LAST));
        all.put("DUE_MARK", quoted(String.valueOf(OfferRequest.DUE_MARK)));
        all.put("DELAY_MARK", quoted(String.valueOf(CommitRequest.DELAY_MARK)));
        all.put("SPILLED_TAG", quoted(String.valueOf(SpilledRange.TAG)));
        all.put("NO_DELAY", quoted("0".repeat(RedisRecordCodec.TIME_DIGITS)));
        all.put("RECORD_TIME_END", Integer.toString(RedisRecordCodec.HEAD));
        all.put("RECORD_KEY_END", Integer.toString(RedisRecordCodec.HEAD + UrlId.KEY_BYTES));
        all.put("SEED_LIST_LAST", quoted(SeedLists.LAST));
        all.put("SEED_READER", quoted(Shards.SEED_READER));
        all.put(
                "RANKS",
                quoted(
                        IntStream.rangeClosed(0, Priority.LAST_RANK)
                                .mapToObj(rank -> "" + RedisRecordCodec.letter(rank))
                                .collect(Collectors.joining())));
        all.put("YOUNG_HOST_PAGES", Integer.toString(Priority.YOUNG_HOST_PAGES));
        all.put("DELAYED_MAX", Integer.toString(Workbench.DELAYED_MAX));
        return all;
    }

    /** Adds names that only scripts use; those that every host has are short to save memory. */
    private static void addShort(Map<String, String> all) {
        all.put("HOST_TOKEN", "'tok'");
        all.put("HOST_OWNER", "'own'");
        all.put("HOST_STATE", "'blob'");
        all.put("HOST_PAGES", "'pages'");
        all.put("HOST_JOBS", "'jobs'");
        all.put("HOST_MEMBER", "'m'");
        all.put("HOST_ORDER", "'o'");
        all.put("HOST_DELAYED_UNTIL", "'dly'");
        all.put("HOST_REST_UNTIL", "'rest'");
        all.put("HOST_DELAY", "'dl'");
        all.put("HOST_REPORTED_DELAY", "'slow'");
        all.put("HOST_DELAY_SENT", "'told'");
        all.put("HOST_QUEUED", "'n:'"); // Followed by the number of a job.
        all.put("HOST_EXCLUDED", "'x:'"); // Followed by the number of a job.
        all.put("SHARD_HOSTS", "'hosts'");
        all.put("SHARD_PASS", "'pass:'"); // Followed by the number of a job.
        all.put("SHARD_REVISITS", "'revisits:'"); // Followed by the number of a job.
        all.put("KEY_CLAIMED_HOSTS", "':busy'");
        all.put("KEY_RESTING_HOSTS", "':rest'");
        all.put("KEY_FILES", "':f'");
        all.put("SEEN_COUNT", "'n'");
        all.put("SEEN_BUCKETS", "'b'");
        all.put("ORDER_DIGITS", "6");
    }

    private static void add(Map<String, String> all, String prefix, Constant... constants) {
        for (var constant : constants) {
            if (all.put(prefix + constant.name(), quoted(constant.text())) != null) {
                throw new IllegalStateException("duplicate constant " + prefix + constant.name());
            }
        }
    }

    private static String quoted(String text) {
        return "'" + text + "'";
    }

    /** Replaces the names of constants in a script with their values. */
    static String resolve(String script) {
        return NAME.matcher(script)
                .replaceAll(name -> LITERALS.getOrDefault(name.group(), name.group()));
    }
}
