package dev.orbweaver.internal.disk;

/**
 * The names of files and directories in the directory of a crawl, a service or a fleet worker.
 *
 * <p>The jobs of a service or worker are crawls. The frontier names the files below {@link
 * #FRONTIER}, the WARC sink those below {@link #WARC}.
 */
public final class DirectoryLayout {

    /** The settings of the crawl. */
    public static final String SETTINGS = "crawl.yaml";

    /** Settings that hold a secret. Sinks and exports copy no file that begins with a dot. */
    public static final String SECRETS = ".secrets.yaml";

    /** The hosts that the operator excludes from this crawl. */
    public static final String EXCLUDED_HOSTS = "excluded-hosts.txt";

    /** The directory of the seed lists. */
    public static final String SEEDS = "seed-lists";

    /** Locked by the process that crawls into the directory, or serves its jobs. */
    public static final String LOCK = ".lock";

    /** The directory of bodies that are too large for memory. */
    public static final String TEMPORARY = "tmp";

    public static final String FRONTIER = "frontier";

    /** The frontier that a repair is building. */
    public static final String FRONTIER_REPAIRING = "frontier.repairing";

    public static final String WARC = "warc";

    public static final String PAGE_LOG = "pages.log";

    /** The page log that a compaction has written, until it replaces the current one. */
    public static final String PAGE_LOG_COMPACTED = PAGE_LOG + ".compacted";

    /**
     * The lengths that files have after a compaction; exists while the compaction is carried out.
     */
    public static final String COMPACTION_PLAN = "compaction.tsv";

    /** The position in the page log at which the current batch began. */
    public static final String BATCH_START = "batch.start";

    /** Payload digests of stored captures, for revisit records. */
    public static final String DIGEST_INDEX = "digests.index";

    /** Lists the WARC files that a sink has moved elsewhere. */
    public static final String MOVED_FILES = "moved.tsv";

    /** The directory of the state of revisits. */
    public static final String REVISITS = "revisits";

    /** Written by users: the new directories of other crawls that this one refers to. */
    public static final String OTHER_CRAWLS = "other-crawls.tsv";

    /** The directory of payload digests of remote crawls, for revisit records. */
    public static final String OTHER_DIGESTS = "other-digests";

    /** The directory of files that name the crawls whose revisit records refer to this one. */
    public static final String DEPENDENTS = "dependents";

    /** Locked by a crawl that registers as a dependent, and by a compaction. */
    public static final String DEPENDENTS_LOCK = ".dependents.lock";

    public static final String TOMBSTONES = "tombstones.tsv";

    public static final String TOMBSTONES_LOCK = ".tombstones.lock";

    /** The directory of output that recovery removed because no committed batch includes it. */
    public static final String RECOVERED = "recovered";

    public static final String ROBOTS_LOG = "robots.log";

    /** Response counts up to a length of the page log. */
    public static final String RESPONSE_COUNTS = "answers.tsv";

    /** The statistics of the trap detector. */
    public static final String TRAPS = "traps.tsv";

    /** What visits of known pages found. */
    public static final String CHANGES = "changes.log";

    /** The report of a crawl that has ended. */
    public static final String REPORT = "summary.json";

    /** The counters of a running crawl. */
    public static final String PROGRESS = "progress.json";

    /** The statistics of a job of the service over time. */
    public static final String HISTORY = "history.json";

    /** Log lines of the program. */
    public static final String LOG = "crawl.log";

    public static final String LOG_OLD = "crawl.log.old";

    /** The directory of the full-text index. */
    public static final String SEARCH = "search";

    /** The directory of exports that the server is sending. */
    public static final String EXPORTS = "exports";

    /** The directory of the sinks' own files: their status and the names below. */
    public static final String SINKS = "sinks";

    /** In {@link #SINKS}: the name of the crawl in stores that contain several crawls. */
    public static final String SINKS_JOB = "job";

    /** In {@link #SINKS}: which worker's part of which fleet job this directory is. */
    public static final String SINKS_FLEET_PART = "fleet";

    /** In {@link #SINKS}: links to the frontier files that are being uploaded. */
    public static final String SINKS_FRONTIER = "s3-frontier";

    /** In {@link #SINKS}: links to the frontier files that a backup is copying. */
    public static final String SINKS_BACKUP_FRONTIER = "backup-frontier";

    /** In {@link #SINKS}: links to other files that a backup is copying. */
    public static final String SINKS_BACKUP_FILES = "backup-files";

    /** Locked by the process that makes a backup of the directory. */
    public static final String BACKUP_LOCK = ".backup.lock";

    /** Of a service or worker: the directory of the jobs' directories, by number. */
    public static final String JOBS = "jobs";

    /** In the directory of a service's job: its record. */
    public static final String JOB = "job.json";

    /** Of a service: the number of the next job. */
    public static final String NEXT_JOB = "next-job";

    /** Of a service: the directory of its schedules, a file for each. */
    public static final String SCHEDULES = "schedules";

    /** Of a service: the number of the next schedule. */
    public static final String NEXT_SCHEDULE = "next-schedule";

    /** Of a service: the fleet whose jobs it manages. */
    public static final String FLEET = "fleet";

    /** Of a worker: its name in the fleet. */
    public static final String WORKER = "worker";

    /** Of a worker: the incarnation of the fleet that its files belong to. */
    public static final String FLEET_INCARNATION = "fleet-incarnation";

    private DirectoryLayout() {}
}
