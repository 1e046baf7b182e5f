package dev.orbweaver.internal.frontier;

/**
 * What every frontier must do; each implementation runs it unchanged.
 *
 * <p>The behaviours of {@code vectors/frontier} and where they are checked:
 *
 * <pre>
 * dup-discovered                 IntakeContract.aUrlEntersAJobOnce, aUrlStaysKnownInWhateverStateItIs
 * due-behind-held                PolitenessContract.perHostAllowsSoManyLeasesAndNotOneMore
 * in-process-hidden              PolitenessContract.aHostHasOneLeaseAtATime
 * visibility-timeout             LeaseContract.aLeaseHoldsAtItsDeadlineAndNotAfterIt
 * one-serve-per-window           PolitenessContract.theDelayRunsFromTheEndOfTheAnswer; ConcurrentFrontierTest
 * crawl-isolation                IntakeContract.jobsKnowNothingOfEachOthersUrls
 * same-seeds-parallel-jobs       IntakeContract.jobsKnowNothingOfEachOthersUrls, JobsContract.aJobsLedgerIsItsOwnAndAllTogetherAreTheLedger
 * crawl-limit                    JobsContract.noMoreUrlsOfAHostAreTakenThanTheLimit
 * delete-crawl, purge-race       JobsContract.aDeletedJobLeavesNothingAndOthersAreUntouched, aDeletedJobsLeasesEndWithTheirHostsDelayKept
 * job-stats-sum                  JobsContract.aJobsLedgerIsItsOwnAndAllTogetherAreTheLedger
 * same-ip-parallel-jobs          PolitenessContract.anAddressIsAskedOncePerDelayWhateverTheHost
 * same-ip-one-job                PolitenessContract.anAddressIsAskedOncePerDelayWhateverTheHost
 * fetch-exception-retry          LeaseContract.aFailingPageDelaysItselfAndNotItsHost, deadLettersAreCountedByCause
 * fetch-hangs                    LeaseContract.tenLostLeasesMakePoison, CircuitBreakerContract.otherHostsGoOnWhileOneRests
 * worker-gone                    LeaseContract.aLeaseHoldsAtItsDeadlineAndNotAfterIt
 * dns-fails-n                    LeaseContract.aFailingPageDelaysItselfAndNotItsHost, deadLettersAreCountedByCause
 * robots-denied-counted          LeaseContract.aWithdrawnUrlCostsNoDelay
 * checkpoint-while-fetching      DiskFrontierTest.leasesOfADeadProcessComeBackWithTheDelayKept
 * checkpoint-atomic              JournalCrashTest.aCrashAtAnyStepLeavesTheStateBeforeOrAfter
 * retry-spacing                  LeaseContract.aFailingPageDelaysItselfAndNotItsHost
 * timeout-not-twice-in-parallel  LeaseContract.aLateSettleWithAnOldTokenChangesNothing
 * buffer-not-lost                FrontierModelTest, with the process killed at random
 * key-hostile                    IntakeContract.hostileUrlsComeOutAsTheyWentIn (deletion and slots later)
 *
 * In other packages: malformed-in-batch (url), dns-then-robots and recheck-scope (crawl).
 * Later, with pausing and listing (service): paging-stable, listing-under-write, backpressure-put,
 *   deactivate, abort-early, abort-while-sleeping, abort-big.
 * Later, with recrawling: reschedule-completed, adaptive-unchanged.
 * Later, with the fleet: owner-only, keyed-serve-window.
 * </pre>
 */
public interface FrontierContract
        extends IntakeContract,
                PolitenessContract,
                AdaptiveDelayContract,
                ExclusionContract,
                LeaseContract,
                CircuitBreakerContract,
                DeadLetterContract,
                JobsContract,
                NextWorkContract {}
